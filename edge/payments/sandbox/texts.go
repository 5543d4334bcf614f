package sandbox

// languages of the pages, in the order in which they are offered.
var languages = []language{
	{Tag: "pt-BR", Name: "Português", Short: "PT"}, {Tag: "en", Name: "English", Short: "EN"}, {Tag: "es", Name: "Español", Short: "ES"},
}

type language struct {
	Tag, Name, Short string
	Now              bool
}

// card is a test card beside the one that approves.
type card struct {
	Decision, Title, About string
	No                     bool // it will not pay
}

// cards in their order; the texts are "card …" and "about …".
func cards(text map[string]string) []card {
	var out []card
	for _, decision := range []string{"slow", "step", "decline", "timeout"} {
		out = append(out, card{
			Decision: decision, Title: text[decision], About: text["about "+decision],
			No: decision == "decline" || decision == "timeout",
		})
	}
	return out
}

var texts = map[string]map[string]string{
	"en": {
		"title": "Sandbox payment", "sandbox": "Test payment: no real money moves", "amount": "Amount to pay", "order": "Order",
		"payTo": "Payment to", "until": "Time to pay", "language": "Language", "foot": "Plateia’s own payment provider, for tests and rehearsals.",
		"choose": "Choose a test card", "help": "Each one answers as a different bank would.",
		"approve": "Approve payment", "slow": "Approve, but slowly", "step": "Ask me to confirm", "decline": "Decline the card", "timeout": "Do not answer",
		"about slow": "Card ending 0077 · paid a few seconds after you return", "about step": "Card ending 3220 · the bank asks for one more step",
		"about decline": "Card ending 0002 · you can try another card", "about timeout": "Card ending 0119 · the bank is silent until the time is over",
		"leave": "Cancel this payment", "back": "Back to the shop",
		"stepTitle": "Your bank asks you to confirm", "stepHelp": "Is it you who is paying this amount? Nothing is charged before you confirm.",
		"confirm": "Yes, confirm payment", "refuse": "No, refuse it",
		"is processing": "The bank is working on it. This page renews itself.", "is captured": "Paid. Thank you!",
		"is declined": "The card was declined. You can go back and try another one.", "is cancelled": "This payment has ended. No money was taken.",
		"is broken": "Something went wrong at the bank. Reload this page to see what became of your payment.", "reload": "Look again",
	},
	"pt-BR": {
		"title": "Pagamento de teste", "sandbox": "Pagamento de teste: nenhum dinheiro real é movimentado", "amount": "Valor a pagar", "order": "Pedido",
		"payTo": "Pagamento para", "until": "Tempo para pagar", "language": "Idioma", "foot": "O provedor de pagamentos da própria Plateia, para testes e ensaios.",
		"choose": "Escolha um cartão de teste", "help": "Cada um responde como um banco diferente.",
		"approve": "Aprovar pagamento", "slow": "Aprovar, mas devagar", "step": "Pedir confirmação", "decline": "Recusar o cartão", "timeout": "Não responder",
		"about slow": "Cartão final 0077 · cobrado alguns segundos depois que você voltar", "about step": "Cartão final 3220 · o banco pede mais um passo",
		"about decline": "Cartão final 0002 · você pode tentar outro cartão", "about timeout": "Cartão final 0119 · o banco fica em silêncio até o prazo acabar",
		"leave": "Cancelar este pagamento", "back": "Voltar à loja",
		"stepTitle": "Seu banco pede uma confirmação", "stepHelp": "É você quem está pagando este valor? Nada é cobrado antes da confirmação.",
		"confirm": "Sim, confirmar pagamento", "refuse": "Não, recusar",
		"is processing": "O banco está processando. Esta página se atualiza sozinha.", "is captured": "Pago. Obrigado!",
		"is declined": "O cartão foi recusado. Você pode voltar e tentar outro.", "is cancelled": "Este pagamento foi encerrado. Nada foi cobrado.",
		"is broken": "Algo deu errado no banco. Recarregue esta página para ver o que houve com o pagamento.", "reload": "Ver de novo",
	},
	"es": {
		"title": "Pago de prueba", "sandbox": "Pago de prueba: no se mueve dinero real", "amount": "Importe a pagar", "order": "Pedido",
		"payTo": "Pago a", "until": "Tiempo para pagar", "language": "Idioma", "foot": "El proveedor de pagos de la propia Plateia, para pruebas y ensayos.",
		"choose": "Elige una tarjeta de prueba", "help": "Cada una responde como un banco distinto.",
		"approve": "Aprobar el pago", "slow": "Aprobar, pero despacio", "step": "Pedir confirmación", "decline": "Rechazar la tarjeta", "timeout": "No responder",
		"about slow": "Tarjeta terminada en 0077 · se cobra unos segundos después de volver", "about step": "Tarjeta terminada en 3220 · el banco pide un paso más",
		"about decline": "Tarjeta terminada en 0002 · puedes probar con otra", "about timeout": "Tarjeta terminada en 0119 · el banco calla hasta que acaba el plazo",
		"leave": "Cancelar este pago", "back": "Volver a la tienda",
		"stepTitle": "Tu banco te pide que confirmes", "stepHelp": "¿Eres tú quien paga este importe? No se cobra nada antes de confirmar.",
		"confirm": "Sí, confirmar el pago", "refuse": "No, rechazarlo",
		"is processing": "El banco lo está procesando. Esta página se actualiza sola.", "is captured": "Pagado. ¡Gracias!",
		"is declined": "La tarjeta fue rechazada. Puedes volver y probar con otra.", "is cancelled": "Este pago ha terminado. No se cobró nada.",
		"is broken": "Algo falló en el banco. Recarga esta página para ver qué pasó con tu pago.", "reload": "Mirar de nuevo",
	},
}
