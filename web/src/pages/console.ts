import { Console } from "../console/page.ts";

new Console().start();
