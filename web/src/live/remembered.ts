import { tabbed } from "../base/storage.ts";
import type { Way } from "./links.ts";

const KEY = "plateia.live";

/** How frames came on this tab's last page: where no socket opens, the next page need not find that out again. */
export const rememberedWay = (): Way => (tabbed.get(KEY) === "events" ? "events" : "socket");

export function rememberWay(way: Way | null): void {
  if (way === "events") tabbed.set(KEY, way);
  else if (way === "socket") tabbed.remove(KEY);
}
