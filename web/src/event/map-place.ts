import { BareMap } from "./bare-map.ts";
import { MapView } from "./map-view.ts";
import { pollWords } from "./poll-words.ts";
import type { MapPlace } from "./setting.ts";

/** The map in an element of class "map", whose first content is the drawing shown until the map is there. */
export const mapIn = (host: HTMLElement): MapPlace => {
  const bones = host.querySelector(".map-bones");
  return {
    open(model, actions) {
      const bare = new BareMap(host, model.chart, model.book);
      bare.sign.polling = pollWords;
      const map = new MapView(host, model, bare, actions);
      bones?.remove();
      return map;
    },
    failed(why) {
      const pressed = bones?.contains(document.activeElement) ?? false; // and it failed again
      bones?.replaceChildren(why);
      if (pressed) why.querySelector("button")?.focus();
    },
    hide: (hidden) => void (host.hidden = hidden),
  };
};
