import { LinePage } from "../line/page.ts";

new LinePage(decodeURIComponent(location.pathname.split("/")[2] ?? "")).start();
