import type { embed as english } from "../en/embed.ts";

export const embed: Record<keyof typeof english, string> = {
  // the frame in a partner's page
  counterTitle: "Escolha seus lugares no mapa",
  counterLead: "Reserve e eles ficam guardados enquanto você paga.",
  counterBack: "Voltar ao mapa",
  counterAsking: "Reservando seus lugares…",
  moreSeats: "Escolher mais lugares",
  tooNew: "Esta página e o mapa de lugares nela são de versões diferentes. Recarregue a página.",
  unframedTitle: "Esta página fica dentro do site de um parceiro",
  unframedLead: "Aqui ela não tem o que mostrar. O evento, os lugares e os ingressos estão na nossa própria página.",
  unframedGo: "Ir para o evento",

  // the payment's window
  payElsewhere: "Pague na janela que se abriu. Esta página continua sozinha.",
  payBlocked: "Seu navegador não abriu a janela de pagamento. Toque mais uma vez.",
  payBlockedAgain: "Seu navegador não deixa abrir a janela de pagamento. Você pode pagar em uma página separada; lá você entra na sua conta mais uma vez.",
  payPlain: "Pagar em uma página separada",
  payOpening: "Abrindo seu pagamento…",
  payOpeningLead: "Seus lugares estão garantidos. É só um momento.",
  payStranger: "Não há nada para pagar aqui",
  payStrangerLead: "Esta janela se abre sozinha quando você vai pagar. Seus pedidos estão em “Meus pedidos”.",
  payLost: "A página que abriu esta janela não responde",
  payLostLead: "Nada foi cobrado e seus lugares ficam reservados até o tempo acabar. Feche esta janela e toque em “Ir para o pagamento” mais uma vez, ou continue em “Meus pedidos”.",
  payAccount: "Você entrou com outra conta",
  payAccountLead: "Aqui você entrou como {email}. Os lugares estão reservados para {other}.",
  payAccountGo: "Continuar como {other}",
  payAccountStay: "Ficar como {email}",
};
