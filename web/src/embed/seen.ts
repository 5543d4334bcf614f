import { h } from "../base/dom.ts";
import { resolved } from "../map/colour.ts";
import type { Rgb } from "../map/theme.ts";
import { OURS } from "./palette.ts";

/** The colours of this page as they are seen, by the names that partners know; null: the reader's own (forced colours) come before all. */
export function seen(): ((name: string) => Rgb) | null {
  if (matchMedia("(forced-colors: active)").matches) return null;
  return (name) => {
    const probe = document.body.appendChild(h("i", null));
    probe.style.color = `var(--${OURS[name]})`;
    const colour = resolved(getComputedStyle(probe).color);
    probe.remove();
    return colour;
  };
}
