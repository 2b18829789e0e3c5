"""Pictures shown while they are made: a page of this process, on this machine alone, that a browser follows."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from numpy.typing import NDArray

from .render import png

_PAGE = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Pliant</title>
<body style="margin:0;height:100vh;display:grid;place-items:center;background:#f4f6fa">
<img src="stream" alt="" style="width:min(96vw,128vh);image-rendering:auto"></body></html>"""


class Window:
    """A page that shows the last picture. It is opened in a browser unless the variable PLIANT_NO_BROWSER is set; its
    address is told once on standard error."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._picture = b""
        self._number = 0
        self._closed = False
        window = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.endswith("/stream"):
                    window._stream(self)
                else:
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.send_header("Content-Length", str(len(_PAGE)))
                    self.end_headers()
                    self.wfile.write(_PAGE)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/"
        print(f"pliant: shown at {self.address}", file=sys.stderr)
        if "PLIANT_NO_BROWSER" not in os.environ:
            webbrowser.open(self.address)

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture of shape (height, width, 3) in place of the last one."""
        with self._changed:
            self._picture = png(picture)
            self._number += 1
            self._changed.notify_all()

    def close(self) -> None:
        """End the page."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def _stream(self, handler: BaseHTTPRequestHandler) -> None:
        """Every picture as a part of an answer that does not end: a slow browser leaves some out."""
        handler.send_response(200)
        handler.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
        handler.end_headers()
        seen = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._number != seen)
                if self._closed:
                    return
                picture, seen = self._picture, self._number
            head = f"--picture\r\nContent-Type: image/png\r\nContent-Length: {len(picture)}\r\n\r\n"
            try:
                handler.wfile.write(head.encode() + picture + b"\r\n")
            except (BrokenPipeError, ConnectionResetError):
                return
