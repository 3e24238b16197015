/** Answers every request with the same bytes, or with a stream of chunks below /stream. Prints its port. */
const answer = JSON.stringify({
  id: "chatcmpl-0123456789",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "model",
  choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(120) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 200, completion_tokens: 120, total_tokens: 320 },
});
const headers =
  "Date: Sun, 22 Nov 2026 06:00:00 GMT\r\nConnection: keep-alive\r\nServer: upstream\r\n" +
  "openai-organization: organization\r\nopenai-processing-ms: 321\r\nopenai-version: 2020-10-01\r\n" +
  "x-ratelimit-limit-requests: 10000\r\nx-ratelimit-remaining-requests: 9999\r\nx-request-id: req_0123456789abcdef\r\n";
const whole = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${answer.length}\r\n${headers}\r\n${answer}`,
);
const head = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`,
);
const event = `data: {"id":"chatcmpl-0123456789","choices":[{"index":0,"delta":{"content":"word "}}]}\n\n`;
const chunk = Buffer.from(`${event.length.toString(16)}\r\n${event}\r\n`);
const last = Buffer.from("0\r\n\r\n");
const chunks = 20;

interface Serving {
  missing: number;
}

const listener = Bun.listen<Serving>({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open(socket) {
      socket.data = { missing: 0 };
    },
    data(socket, bytes) {
      // The requests of this benchmark arrive in one piece.
      if (bytes.indexOf("POST /stream") !== 0) {
        socket.write(whole);
        return;
      }
      let sent = 0;
      socket.write(head);
      const next = () => {
        if (sent++ < chunks) {
          socket.write(chunk);
          setTimeout(next, 1);
        } else socket.write(last);
      };
      next();
    },
  },
});
console.log(listener.port);
