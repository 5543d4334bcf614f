// What a partner's page loads: <script src="https://OUR/embed/v1/loader.js" async></script>. It asks for one module, the
// widget in the page's language, and says so where the widget should be when it does not come. It does nothing on a server.
import type { Language } from "../i18n/all.ts";
import { firstLanguage } from "./language.ts";
import { KEY, type Registry, type Widget } from "./registry.ts";

/** Of each language's module: file and integrity. build-embed.mjs knows them. */
declare const FILES: Record<Language, readonly [file: string, integrity: string]>;

const PAUSES = [1000, 4000]; // ms before a second and a third try
const TAG = "plateia-map";

function start(): void {
  const page = globalThis as unknown as { [KEY]?: Registry; trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } };
  if (typeof document !== "object" || typeof customElements !== "object" || page[KEY]) return;
  // by the class's own getter: an <img name="currentScript"> in the page is document.currentScript, and would say whose fans sign in where
  const { origin } = new URL((Reflect.get(Document.prototype, "currentScript", document) as HTMLScriptElement).src);
  const loading: Record<string, Promise<void>> = {};
  let safe = (url: string): string => url;
  try {
    const policy = page.trustedTypes?.createPolicy("plateia", { createScriptURL: safe });
    if (policy) safe = (url) => policy.createScriptURL(url);
  } catch {
    // the page allows no policy of ours; where it also demands one, the script below does not run
  }

  const once = (file: string, integrity: string): Promise<void> => new Promise((done, failed) => {
    const script = document.createElement("script");
    script.type = "module";
    script.crossOrigin = "anonymous";
    script.integrity = integrity;
    script.src = safe(`${origin}/assets/${file}`);
    script.onload = () => done();
    script.onerror = () => {
      script.remove();
      failed(new Error(`plateia: ${file} was not loaded`));
    };
    document.head.append(script);
  });
  const patient = (file: string, integrity: string, tries = 0): Promise<void> => once(file, integrity).catch(async (error: unknown) => {
    if (tries === PAUSES.length) throw error;
    await new Promise((done) => setTimeout(done, PAUSES[tries]));
    return patient(file, integrity, tries + 1);
  });
  const registry: Registry = {
    origin, parts: {},
    script: (file, integrity) => (loading[file] ??= patient(file, integrity).catch((error: unknown) => {
      delete loading[file];
      throw error;
    })),
    load: async (language) => {
      await registry.script(...FILES[language]);
      return registry.parts[language] as Widget;
    },
    languageOf: (element) => firstLanguage([element.closest<HTMLElement>("[lang]")?.lang ?? "", ...navigator.languages]),
  };
  page[KEY] = registry;

  /** Never an empty box: without the widget there is a way to our own page. */
  const apologise = (): void => document.querySelectorAll(`${TAG}:not(:defined)`).forEach((element) => {
    const link = document.createElement("a");
    link.href = `${origin}/events/${encodeURIComponent(element.getAttribute("event") ?? "")}`;
    link.textContent = link.href;
    if (!element.hasChildNodes()) element.append(link);
    element.dispatchEvent(new CustomEvent("plateia-error", { bubbles: true, composed: true, detail: { code: "BLOCKED", text: `${origin} could not be loaded` } }));
  });
  const begin = (): void => void registry.load(registry.languageOf(document.querySelector(TAG) ?? document.documentElement)).catch(apologise);
  if (document.readyState === "loading" && !document.querySelector(TAG)) document.addEventListener("DOMContentLoaded", begin);
  else begin();
}

start();
