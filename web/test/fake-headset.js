// A stand-in for a headset with two controllers, for pages in a test browser: the part of WebXR that three.js
// uses. Runs in the page before its own scripts; `window.headset` moves the hands and presses their triggers.

(() => {
  const poses = [[-0.2, 1.2, -0.4], [0.2, 1.2, -0.4]];
  const identity = (x, y, z) => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]);
  const transform = (x, y, z) => ({ matrix: identity(x, y, z), inverse: { matrix: identity(-x, -y, -z) }, position: { x, y, z }, orientation: { x: 0, y: 0, z: 0, w: 1 } });
  const projection = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1.0002, -1, 0, 0, -0.04, 0]);
  const sources = ["left", "right"].map((handedness, index) => ({
    handedness, index, targetRayMode: "tracked-pointer", profiles: [], targetRaySpace: { index }, gripSpace: { index }, gamepad: null, hand: null,
  }));

  const getPose = (space) => ({ transform: transform(...poses[space.index]), linearVelocity: null, angularVelocity: null, emulatedPosition: false });

  class Session extends EventTarget {
    constructor() {
      super();
      this.renderState = {};
      this.inputSources = sources;
      this.visibilityState = "visible";
      this.enabledFeatures = [];
      this.environmentBlendMode = "opaque";
      this.pictures = 0;
    }
    updateRenderState(state) {
      Object.assign(this.renderState, state);
    }
    async requestReferenceSpace(type) {
      return { type, addEventListener() {}, removeEventListener() {} };
    }
    requestAnimationFrame(callback) {
      const session = this;
      return window.requestAnimationFrame((time) => {
        if (this.ended) return;
        this.pictures++;
        callback(time, {
          session,
          getViewerPose: () => ({
            transform: transform(0, 1.6, 0),
            views: ["left", "right"].map((eye, i) => ({ eye, projectionMatrix: projection, transform: transform(i ? 0.03 : -0.03, 1.6, 0) })),
          }),
          getPose,
        });
      });
    }
    cancelAnimationFrame(id) {
      window.cancelAnimationFrame(id);
    }
    async end() {
      this.ended = true;
      this.dispatchEvent(new Event("end"));
    }
  }

  window.XRWebGLBinding = undefined;
  window.XRWebGLLayer = class {
    framebuffer = null;
    framebufferWidth = 400;
    framebufferHeight = 200;
    getViewport({ eye }) {
      return { x: eye === "right" ? 200 : 0, y: 0, width: 200, height: 200 };
    }
  };
  WebGL2RenderingContext.prototype.makeXRCompatible = async () => {};
  window.headset = {
    session: null,
    move: (hand, x, y, z) => (poses[hand] = [x, y, z]),
    press(hand, on) {
      const event = new Event(on ? "selectstart" : "selectend");
      event.inputSource = sources[hand];
      event.frame = { session: this.session, getPose };
      this.session.dispatchEvent(event);
    },
  };
  Object.defineProperty(navigator, "xr", {
    value: {
      isSessionSupported: async (mode) => mode === "immersive-vr",
      async requestSession() {
        const session = new Session();
        window.headset.session = session;
        setTimeout(() => session.dispatchEvent(Object.assign(new Event("inputsourceschange"), { added: sources, removed: [] })), 50);
        return session;
      },
      addEventListener() {},
      removeEventListener() {},
    },
  });
})();
