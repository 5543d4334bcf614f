import { MapView } from "./map-view.ts";
import type { MapPlace } from "./setting.ts";

/** The map in an element of class "map", whose first content is the drawing shown until the map is there. */
export const mapIn = (host: HTMLElement): MapPlace => {
  const bones = host.querySelector(".map-bones");
  return {
    open(model, actions) {
      const map = new MapView(host, model, actions);
      bones?.remove();
      return map;
    },
    failed: (why) => bones?.replaceChildren(why),
    hide: (hidden) => void (host.hidden = hidden),
  };
};
