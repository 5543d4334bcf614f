import { test } from "node:test";
import assert from "node:assert/strict";
import { KEY, type Registry } from "./registry.ts";

test("where the widget comes from is the loader's own script, whatever a page's pictures are called", async () => {
  const asked: { src?: string }[] = [];
  class FakeDocument {
    get currentScript(): object {
      return { src: "https://ours.example/embed/v1/loader.js" };
    }
    readonly readyState = "complete";
    readonly documentElement = { closest: () => null };
    readonly head = { append: (script: { src?: string }) => asked.push(script) };
    querySelector(): null {
      return null;
    }
    createElement(): object {
      return {};
    }
  }
  const document = new FakeDocument();
  Object.defineProperty(document, "currentScript", { value: { src: "https://evil.example/x.png" } }); // as <img name="currentScript"> does
  const files = { en: ["a.js", "sha384-a"], es: ["a.js", "sha384-a"], "pt-BR": ["a.js", "sha384-a"] };
  Object.assign(globalThis, { document, Document: FakeDocument, customElements: {}, FILES: files });
  Object.defineProperty(globalThis, "navigator", { value: { languages: ["es"] }, configurable: true });
  await import("./loader.ts");
  assert.equal((globalThis as unknown as { [KEY]: Registry })[KEY].origin, "https://ours.example");
  assert.deepEqual(asked.map((script) => script.src), ["https://ours.example/assets/a.js"]);
});
