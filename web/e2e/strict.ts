import type { BrowserContext, Page, Response } from "playwright-core";

const OURS = `${process.env.PLATEIA_URL ?? ""}/`;
const KEY = process.env.PLATEIA_OPERATOR_KEY ?? "plateia-dev-operator-key";

/** What must never be in an address, where logs, histories and Referer headers keep it: our tokens (JWT), and the operators' key. */
const secret = (url: string): boolean => /eyJ[\w-]{8,}\.[\w-]{8,}/.test(url) || url.includes(KEY) || url.includes(encodeURIComponent(KEY));

/** Everything a browser does in a test is looked at: no address holds a secret, and every page of ours came under its policy. */
export function watchStrictly(context: BrowserContext, trouble: string[]): void {
  const address = (url: string): void => {
    if (secret(url)) trouble.push(`a secret in an address: ${url.slice(0, 200)}`);
  };
  const page = (p: Page): void => {
    p.on("websocket", (socket) => address(socket.url()));
    p.on("framenavigated", (frame) => address(frame.url())); // also what a script writes into the history
  };
  context.pages().forEach(page);
  context.on("page", page);
  context.on("request", (request) => address(request.url()));
  context.on("response", (answer) => {
    if (answer.request().resourceType() === "document" && answer.url().startsWith(OURS)) trouble.push(...lacks(answer));
  });
}

function lacks(answer: Response): string[] {
  const at = new URL(answer.url()).pathname, h = answer.headers();
  const policy = h["content-security-policy"] ?? "";
  const framed = /^\/embed\/v1\/(desk|frame)\//.test(at);
  const wants: [string, boolean][] = [
    ["a policy that begins with nothing", policy.startsWith("default-src 'none'")],
    ["a policy without inline code and eval", !/unsafe|strict-dynamic/.test(policy)],
    ["frame-ancestors", framed ? /frame-ancestors 'self'/.test(policy) : /frame-ancestors 'none'/.test(policy)],
    ["Referrer-Policy", /^(strict-origin-when-cross-origin|same-origin|no-referrer)$/.test(h["referrer-policy"] ?? "")],
    ["Permissions-Policy", (h["permissions-policy"] ?? "").includes("camera=()")],
    ["X-Content-Type-Options", h["x-content-type-options"] === "nosniff"],
    ["no Strict-Transport-Security over http", h["strict-transport-security"] === undefined],
  ];
  return wants.filter(([, kept]) => !kept).map(([what]) => `${at} lacks ${what}`);
}
