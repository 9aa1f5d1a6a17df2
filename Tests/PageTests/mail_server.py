"""A mail server that keeps its mails."""

import queue
import socketserver
import threading


class MailServer:
    """Runs while the context is open."""

    def __init__(self):
        self.mails = queue.Queue()

    def __enter__(self):
        mails = self.mails

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.say("220 test")
                while line := self.rfile.readline().decode().strip():
                    match line.split()[0].upper():
                        case "QUIT":
                            self.say("221 bye")
                            return
                        case "DATA":
                            self.say("354 go on")
                            text = ""
                            while (part := self.rfile.readline().decode()) != ".\r\n":
                                text += part
                            mails.put(text)
                            self.say("250 kept")
                        case _:
                            self.say("250 ok")

            def say(self, text):
                self.wfile.write(f"{text}\r\n".encode())

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
