import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A network as some offices and hotels have it. */
export interface Network {
  /** The product's address as seen from inside. */
  url: string;
  /** Upgrades that were asked for, and streams, in their order. */
  tries: ("socket" | "stream")[];
  /** Lets WebSockets through from now on, or no more. Those that are open stay. */
  letSockets: boolean;
  /** Lets streams through as they come; else it waits for their end, as proxies do that look into every answer. */
  letStreams: boolean;
  close(): Promise<void>;
}

/** A proxy in front of the product that knows no WebSocket: it takes the word Upgrade away, as proxies of old do. */
export async function narrowNetwork(product: string, letStreams: boolean): Promise<Network> {
  const { hostname, port } = new URL(product);
  const network: Network = { url: "", tries: [], letSockets: false, letStreams, close: async () => {} };
  const ask = (req: IncomingMessage, headers: IncomingMessage["headers"]) =>
    request({ host: hostname, port, method: req.method, path: req.url, headers });
  const pass = (req: IncomingMessage, res: ServerResponse): void => {
    const { upgrade, connection: _, ...headers } = req.headers;
    const stream = req.headers.accept === "text/event-stream";
    if (upgrade) network.tries.push("socket");
    if (stream) network.tries.push("stream");
    const out = ask(req, headers);
    out.on("response", (answer) => {
      if (stream && !network.letStreams) return void answer.resume(); // waits for the end
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    });
    out.on("error", () => res.destroy());
    res.on("close", () => out.destroy());
    req.pipe(out);
  };
  const server = createServer(pass);
  server.on("upgrade", (req, socket, head) => {
    if (!network.letSockets) {
      network.tries.push("socket");
      return void socket.end("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
    const out = ask(req, req.headers);
    out.on("upgrade", (answer, inner, first) => {
      const lines = answer.rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${answer.rawHeaders[i + 1]}`] : []));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
      inner.write(head);
      socket.write(first);
      inner.pipe(socket).on("error", () => inner.destroy());
      socket.pipe(inner).on("error", () => socket.destroy());
    });
    out.on("error", () => socket.destroy());
    out.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  network.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  network.close = () => new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
  return network;
}
