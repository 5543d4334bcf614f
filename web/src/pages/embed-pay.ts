import { byId } from "../base/dom.ts";
import { payPage } from "../embed/pay-page.ts";

void payPage(byId("content"));
