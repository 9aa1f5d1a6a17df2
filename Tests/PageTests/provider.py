"""An OpenID Connect provider with one signed-in person."""

import base64
import http.server
import json
import threading
import time
import urllib.parse


class Provider:
    """Runs while the context is open. Every login succeeds for the person `subject`, or is cancelled if that is None."""

    def __init__(self, subject=None):
        self.subject = subject
        self.nonce = None

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *request: Handler(self, *request))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def options(self, port):
        """Returns ingest's options for this provider, with the page at a port."""
        return [
            "--public-url", f"http://127.0.0.1:{port}", "--http", f"127.0.0.1:{port}", "--oidc-issuer", self.url,
            "--oidc-client-id", "map", "--oidc-name", "Example Login"]

    @property
    def metadata(self):
        return {
            "issuer": self.url, "authorization_endpoint": self.url + "/authorize",
            "token_endpoint": self.url + "/token", "jwks_uri": self.url + "/keys",
            "response_types_supported": ["code"]}

    @property
    def tokens(self):
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": "map", "sub": self.subject, "iat": now, "exp": now + 300, "nonce": self.nonce,
            "name": "Grace Hopper"}
        # The token comes over a direct connection, which replaces the signature.
        token = ".".join(encoded(part) for part in (json.dumps({"alg": "RS256"}), json.dumps(claims), "signature"))
        return {"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": token}


class Handler(http.server.BaseHTTPRequestHandler):
    def __init__(self, provider, *request):
        self.provider = provider
        super().__init__(*request)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path != "/authorize":
            self.answer(self.provider.metadata)
            return
        fields = dict(urllib.parse.parse_qsl(query))
        self.provider.nonce = fields["nonce"]
        outcome = "error=access_denied" if self.provider.subject is None else "code=1"
        self.send_response(302)
        self.send_header("Location", f"{fields['redirect_uri']}?{outcome}&state={fields['state']}")
        self.end_headers()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(self.provider.tokens)

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def encoded(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
