import { idFromPath } from "../order/fetch.ts";
import { OrderPage } from "../order/page.ts";
import { startPage } from "../ui/account.ts";

startPage("orders");
new OrderPage(idFromPath()).start();
