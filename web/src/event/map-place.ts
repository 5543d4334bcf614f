import { frame } from "../base/dom.ts";
import { seatsCame } from "../map/chart.ts";
import { BareMap, below } from "./bare-map.ts";
import { MapView } from "./map-view.ts";
import { pollWords } from "./poll-words.ts";
import type { MapPlace, Venue } from "./setting.ts";

/** The map in an element of class "map", whose first content is the drawing shown until the map is there. */
export const mapIn = (host: HTMLElement): MapPlace => {
  const bones = host.querySelector(".map-bones");
  let bare: BareMap | null = null, isOver = false;
  const put = ({ chart, book }: Venue): BareMap => {
    bare?.destroy();
    bare = new BareMap(host, chart, book);
    bare.sign.polling = pollWords;
    if (isOver) bare.words.places = () => "";
    bones?.remove();
    return bare;
  };
  return {
    async begin(seating) {
      const { map } = put(seating), complete = (): void => {
        seating.complete();
        seatsCame(map.index);
      };
      const later = map.detail.level === "far" && !seating.chart.sections.some((s) => s.general); // areas say how many places they have
      if (!later) complete();
      map.reserve(below(bare!.foot)); // now, so that the second frame shows the venue where the first does
      map.draw(performance.now(), false);
      await frame();
      map.redraw();
      if (later) complete();
    },
    open: (model, actions) => new MapView(host, model, bare?.map.index.chart === model.chart ? bare : put(model), actions),
    failed(why) {
      const pressed = bones?.contains(document.activeElement) ?? false; // and it failed again
      bare?.destroy();
      bare = null;
      if (!bones) return;
      host.prepend(bones);
      bones.replaceChildren(why);
      if (pressed) why.querySelector("button")?.focus();
    },
    hide: (hidden) => void (host.hidden = hidden),
    over() {
      isOver = true;
      if (!bare) return;
      bare.words.places = () => "";
      bare.map.redraw();
    },
  };
};
