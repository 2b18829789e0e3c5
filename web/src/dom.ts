// Small helpers to build elements. Text always goes through text nodes, so no name from a scene
// file can inject markup into the page.

type Attributes = Record<string, string | number | boolean>;
type Child = Node | string;

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** A dropdown labelled in place. */
export function choice(
  label: string,
  options: { value: string; text: string }[],
  chosen: string,
  onChange: (value: string) => void,
): HTMLElement {
  const select = html("select", { "aria-label": label });
  for (const { value, text } of options) {
    select.append(html("option", { value, selected: value === chosen }, text));
  }
  // After a choice by mouse the focus must not stay here, or the space key would open the list
  // instead of playing.
  let byPointer = false;
  select.addEventListener("pointerdown", () => (byPointer = true));
  select.addEventListener("keydown", () => (byPointer = false));
  select.addEventListener("change", () => {
    onChange(select.value);
    if (byPointer) select.blur();
  });
  return html("label", { class: "choice" }, html("span", {}, label), select);
}

/** A button that does something. */
export function button(text: string, title: string, press: () => void): HTMLButtonElement {
  const element = html("button", { type: "button", title }, text);
  element.addEventListener("click", (event) => {
    press();
    releaseFocus(element, event);
  });
  return element;
}

/** A button that stays pressed while its option is on. */
export function toggle(text: string, title: string, on: boolean, onChange: (on: boolean) => void): HTMLElement {
  const button = html("button", { type: "button", title, "aria-pressed": String(on) }, text);
  button.addEventListener("click", (event) => {
    on = !on;
    button.setAttribute("aria-pressed", String(on));
    onChange(on);
    releaseFocus(button, event);
  });
  return button;
}

/** Gives the space key back to the player after a click by mouse; keyboard users keep their place. */
export function releaseFocus(button: HTMLElement, event: MouseEvent): void {
  if (event.detail > 0) button.blur();
}
