import { EventPage } from "../event/page.ts";
import { site } from "../event/site.ts";
import { startPage } from "../ui/account.ts";

startPage("");
void new EventPage(decodeURIComponent(location.pathname.split("/")[2] ?? ""), site()).start();
