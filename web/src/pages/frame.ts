import { byId } from "../base/dom.ts";
import { startFrame } from "../embed/frame-page.ts";
import { mapIn } from "../event/map-place.ts";

startFrame(() => mapIn(byId("map")));
