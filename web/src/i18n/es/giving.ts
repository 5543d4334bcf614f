import type { giving as english } from "../en/giving.ts";

export const giving: Record<keyof typeof english, string> = {
  giveBackWhich: "¿Qué entradas devuelves?",
  giveBackAll: "Todas",
  giveBackNext: "Continuar",
  giveBackSure: "¿Devolver estas entradas?",
  giveBackWarn: "Sus códigos dejan de funcionar enseguida y los asientos vuelven a la venta. No se puede deshacer.",
  giveBackYes_one: "Sí, devolver {n}",
  giveBackYes_other: "Sí, devolver {n}",
  giveBackNo: "Conservar",
  giveBackDone_one: "{n} entrada devuelta",
  giveBackDone_other: "{n} entradas devueltas",
  giveBackDoneLead: "{amount} van de regreso a ti. Puedes seguirlo en esta página.",
  giveBackDoneNone: "No había nada que reembolsar.",
  comesBack: "Vuelve a ti",
  isKept: "Cargos, no se reembolsan",
  back: "Atrás",
  close: "Cerrar",
  refundClosed: "Las entradas de este evento ya no se pueden devolver.",
  refundClosedAt: "Las entradas de este evento se podían devolver hasta el {date}.",
  refundChanged: "El pedido cambió mientras tanto. Míralo de nuevo antes de decidir.",
};
