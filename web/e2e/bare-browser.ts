import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { ARGS, PATIENCE } from "./browser.ts";

/** A page, or one that the browser makes ready before it is asked for (ahead). sockets: addresses it has opened WebSockets to. */
export interface BarePage { session: string; ahead: boolean; requests: string[]; sockets: string[] }

interface Message { id?: number; method?: string; sessionId?: string; params?: never; result?: never; error?: { message: string } }
interface Attached { sessionId: string; targetInfo: { type: string; subtype?: string } }

/**
 * Chromium as a fan has it. The driver of the other tests switches off that pages are made ready ahead; this one only watches the tab
 * from beside, over the browser's own pipe.
 */
export class BareBrowser {
  readonly pages: BarePage[] = [];
  readonly #profile = mkdtempSync(join(tmpdir(), "plateia-bare-"));
  readonly #process = spawn(process.env.CHROMIUM ?? "/usr/bin/chromium",
    [...ARGS, "--window-size=1280,800", "--remote-debugging-pipe", `--user-data-dir=${this.#profile}`, "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  readonly #waiting = new Map<number, (m: Message) => void>();
  #last = 0;

  static async open(): Promise<BareBrowser> {
    const browser = new BareBrowser();
    browser.#listen();
    const { targetInfos } = await browser.send<{ targetInfos: { targetId: string }[] }>("Target.getTargets", { filter: [{ type: "tab" }] });
    const { sessionId } = await browser.send<{ sessionId: string }>("Target.attachToTarget", { targetId: targetInfos[0]!.targetId, flatten: true });
    await browser.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: [{}] }, sessionId);
    return browser;
  }

  /** Sends a command of the DevTools protocol, to a page or to the browser. */
  send<T>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    const id = ++this.#last;
    (this.#process.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((done, failed) => {
      const late = setTimeout(() => failed(new Error(`${method} is not answered`)), PATIENCE);
      this.#waiting.set(id, (m) => {
        clearTimeout(late);
        m.error ? failed(new Error(`${method}: ${m.error.message}`)) : done(m.result as T);
      });
    });
  }

  /** The value of an expression in a page. */
  async ask<T>(page: BarePage, expression: string): Promise<T> {
    return (await this.send<{ result: { value: T } }>("Runtime.evaluate", { expression, returnByValue: true }, page.session)).result.value;
  }

  /** Ends the browser with all its processes: of one that is killed, others still write into the profile that is removed. */
  async close(): Promise<void> {
    const gone = new Promise((done) => this.#process.once("close", done));
    const hangs = setTimeout(() => this.#process.kill("SIGKILL"), PATIENCE);
    await this.send("Browser.close");
    await gone;
    clearTimeout(hangs);
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 20 }); // not rmSync: that lists the folder only once
  }

  #listen(): void {
    let rest = "";
    (this.#process.stdio[4] as Readable).setEncoding("utf8").on("data", (part: string) => {
      const all = (rest + part).split("\0");
      rest = all.pop()!;
      for (const m of all) this.#heard(JSON.parse(m) as Message);
    });
  }

  #heard({ id, method, sessionId, params, ...rest }: Message): void {
    if (id !== undefined) {
      this.#waiting.get(id)?.(rest);
      this.#waiting.delete(id);
      return;
    }
    const page = this.pages.find((p) => p.session === sessionId);
    if (method === "Target.attachedToTarget") this.#attached(params as unknown as Attached);
    if (method === "Network.requestWillBeSent") page?.requests.push((params as unknown as { request: { url: string; method: string } }).request.url);
    if (method === "Network.webSocketCreated") page?.sockets.push((params as unknown as { url: string }).url);
  }

  #attached({ sessionId: session, targetInfo: { type, subtype } }: Attached): void {
    if (type !== "page") return;
    this.pages.push({ session, ahead: subtype === "prerender", requests: [], sockets: [] });
    this.send("Network.enable", {}, session).catch(() => undefined); // it may be gone again
  }
}
