type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;

/** Makes an element. Props starting with "on" are listeners, "class" is the class, the rest are attributes; false and null are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props | null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (typeof value === "function") el.addEventListener(name.slice(2), value);
    else if (value === true) el.setAttribute(name, "");
    else if (value !== false && value != null) el.setAttribute(name, String(value));
  }
  el.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return el;
}

/** The element with this id; the pages' HTML has them all. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const el = document.getElementById(id);
  if (!el) throw new Error(`no element #${id}`);
  return el as T;
}

const SVG = "http://www.w3.org/2000/svg";

/** A 24-unit stroked icon from path data. Icons are always beside a text or under an aria-label. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const p = document.createElementNS(SVG, "path");
  p.setAttribute("d", path);
  svg.append(p);
  return svg;
}

export const icons = {
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  up: "M5 15l7-7 7 7",
  down: "M5 9l7 7 7-7",
  pin: "M12 21s-7-6.500-7-12a7 7 0 0 1 14 0c0 5.500-7 12-7 12zM12 11.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2",
  check: "M5 12.500l4.500 4.500L19 7.500",
  ticket: "M4 7h16v3a2 2 0 0 0 0 4v3H4v-3a2 2 0 0 0 0-4zM14 7v10",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4",
  eye: "M2.500 12s3.500-6.500 9.500-6.500 9.500 6.500 9.500 6.500-3.500 6.500-9.500 6.500S2.500 12 2.500 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.500",
  wheelchair: "M10 5.500a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM10 7.500V14h5l2.500 5M10 10.500h4M7.500 12a5 5 0 1 0 6.500 6",
} as const;

/** What holds an element's ids and focus: the page, or the shadow root that the element is in. */
export function rootOf(element: Node | undefined): Document | ShadowRoot {
  const root = element?.getRootNode();
  return root instanceof ShadowRoot ? root : document;
}

/** Where the focus is within an element, or null. A shadow root knows it; the page around it sees its host only. */
export function focusIn(element: Element): Element | null {
  const active = rootOf(element).activeElement;
  return element.contains(active) ? active : null;
}

/**
 * Waits until somebody sees this page: a browser may make it ready before its link is pressed, and it must not do anything for
 * the fan then. Answers whether it had to wait.
 */
export async function visited(): Promise<boolean> {
  if (!(document as Document & { prerendering?: boolean }).prerendering) return false;
  await new Promise((done) => document.addEventListener("prerenderingchange", done, { once: true }));
  return true;
}

/** Is over when the next frame has been drawn and handed on; at once where nobody sees frames. */
export const frame = (): Promise<void> => new Promise((done) => {
  if (document.hidden) return done();
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, LONGEST_FRAME);
});

const LONGEST_FRAME = 500; // ms: a window that is covered has none

/** Says something through the polite live region (#status) of the page, or of the speaker's shadow root; the same text twice is said twice. */
export function announce(text: string, speaker?: Element): void {
  const region = rootOf(speaker).getElementById("status");
  if (!region) return;
  region.textContent = "";
  setTimeout(() => (region.textContent = text), 30);
}
