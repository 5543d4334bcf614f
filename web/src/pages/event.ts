import "../api/kept-time.ts";
import { EventPage } from "../event/page.ts";
import { site } from "../event/site.ts";
import { startPage } from "../ui/account.ts";

void new EventPage(decodeURIComponent(location.pathname.split("/")[2] ?? ""), site()).start(); // it asks for the map first of all
startPage("");
