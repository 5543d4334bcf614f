import { byId, h, icon, icons } from "../base/dom.ts";
import { eventDate, venueLine } from "../i18n/format.ts";
import { LinePage } from "../line/page.ts";
import { t } from "../line/words.ts";

const id = decodeURIComponent(location.pathname.split("/")[2] ?? ""), seats = `/events/${encodeURIComponent(id)}`;
const board = byId("board"), enter = location.hash === "#enter";
if (enter) history.replaceState(null, "", location.pathname);

new LinePage(id, {
  board, enter,
  head(e) {
    byId("title").textContent = e.title;
    byId("when").replaceChildren(icon(icons.clock), h("time", { datetime: e.startsAt }, eventDate(e.startsAt, e.timeZone)));
    byId("where").replaceChildren(icon(icons.pin), venueLine(e.venue));
  },
  gone(...content) {
    byId("title").textContent = t("missingEvent");
    document.title = `${t("missingEvent")} · Plateia`;
    for (const line of ["when", "where"]) byId(line).remove();
    board.replaceChildren(...content);
  },
  title: (text) => (document.title = text),
  toEvent: (label) => h("a", { class: "button wide", href: seats }, label),
  inside: () => location.replace(seats),
  later: (known) => void import("../line/later.ts").then((l) => l.furnish(id, known)),
}).start();
