import type { giving as english } from "../en/giving.ts";

export const giving: Record<keyof typeof english, string> = {
  giveBackWhich: "Quais ingressos você devolve?",
  giveBackAll: "Todos",
  giveBackNext: "Continuar",
  giveBackSure: "Devolver estes ingressos?",
  giveBackWarn: "Os códigos deixam de valer na hora e os lugares voltam à venda. Não é possível desfazer.",
  giveBackYes_one: "Sim, devolver {n}",
  giveBackYes_other: "Sim, devolver {n}",
  giveBackNo: "Manter",
  giveBackDone_one: "{n} ingresso devolvido",
  giveBackDone_other: "{n} ingressos devolvidos",
  giveBackDoneLead: "{amount} estão a caminho de volta para você. Acompanhe nesta página.",
  giveBackDoneNone: "Não havia nada a devolver.",
  comesBack: "Volta para você",
  isKept: "Taxas, não devolvidas",
  back: "Voltar",
  close: "Fechar",
  refundClosed: "Ingressos deste evento não podem mais ser devolvidos.",
  refundClosedAt: "Ingressos deste evento podiam ser devolvidos até {date}.",
  refundChanged: "O pedido mudou nesse meio-tempo. Olhe de novo antes de decidir.",
};
