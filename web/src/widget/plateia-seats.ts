// The part with the map.
import { EventModel } from "../event/model.ts";
import { MapView } from "../event/map-view.ts";
import { SeatBook } from "../map/book.ts";
import { decodeGeometry } from "../map/geometry.ts";
import { here } from "./here.ts";

/** Its style sheet. build-embed.mjs makes it of the pages' own. */
declare const SHEET: string;

here(import.meta.url, {
  sheet: SHEET,
  open(host, bytes, detail, actions) {
    const chart = decodeGeometry(bytes), model = new EventModel(detail, chart, new SeatBook(chart));
    return { model, view: new MapView(host, model, actions) };
  },
});
