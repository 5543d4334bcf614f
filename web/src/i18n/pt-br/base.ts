import type { base as english } from "../en/base.ts";

export const base: Record<keyof typeof english, string> = {
  // estrutura
  events: "Eventos",
  signOut: "Sair",
  signedInAs: "Você entrou como {email}",
  retry: "Tentar de novo",

  // erros
  errOffline: "Parece que você está sem conexão. Tentaremos de novo assim que ela voltar.",
  errUnreachable: "A Plateia não responde. Sua rede, ou algo no navegador, pode estar impedindo. Continuamos tentando.",
  netOffline: "Você está sem conexão: o que aparece pode estar desatualizado. Sua vez continua guardada; lugares reservados, até o fim do prazo.",
  errServer: "Algo deu errado do nosso lado. Seus lugares e seu dinheiro não foram afetados.",
  errBusy: "Há muita gente aqui agora. Tente de novo em instantes.",
  errNotFound: "Não encontramos esta página. O link pode ser antigo ou estar incompleto.",
  errRateLimited: "Foram muitas tentativas em pouco tempo. Aguarde {seconds} s.",
  errGeneric: "Não funcionou. Tente de novo.",
  errSession: "Entre de novo, por favor. Continuamos de onde você parou.",
  errReference: "Referência {id}",

  // porta
  signIn: "Entrar",
  doorTitle: "Entre para comprar",
  email: "E-mail",
  emailInvalid: "Digite um e\u2011mail completo, como nome@exemplo.com.br.",
  sendCode: "Enviar código",
  codeTitle: "Digite o código",
  codeSent: "Enviamos um código de seis dígitos para {email}.",
  codeResent: "Enviamos um novo código para {email}. Só o mais recente vale.",
  codeAgain: "Enviar um novo código",
  code: "Código de seis dígitos",
  codeInvalid: "O código não confere ou já não vale. Verifique-o ou peça um novo.",
  confirm: "Continuar",
  otherEmail: "Usar outro e\u2011mail",
  devHint: "Modo de desenvolvimento:",
  devInbox: "abrir a caixa de entrada com o código",

  // mapa
  stage: "Palco",
  pitch: "Campo",
  live: "Ao vivo",
  section: "Setor",
  row: "Fileira",
  seat: "Lugar",
  sectionName: "Setor {section}",
  seatName: "{section}, fileira {row}, lugar {seat}",

  // painel
  tickets: "Ingressos",
  total: "Total",
  feesIncluded: "Todas as taxas incluídas",
  taxIncluded: "Inclui {tax} de impostos ({rate})",

  // reserva
  timeLeft: "Tempo restante",
  left5: "Faltam 5 minutos para pagar seus lugares.",
  left2: "Faltam 2 minutos para pagar seus lugares.",
  left1: "Falta 1 minuto para pagar seus lugares.",
  left30: "Faltam 30 segundos para pagar seus lugares.",
  goPay: "Ir para o pagamento",

  // pagamento
  payDelayed: "Pagamento atrasado: os parceiros de pagamento não respondem agora. Seus lugares estão seguros.",
};
