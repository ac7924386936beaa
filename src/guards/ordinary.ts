/** What customers ask anywhere, by language: a rule that acts on most of this acts on nearly everything. */
export const ORDINARY: ReadonlyArray<readonly string[]> = [
  [
    'How long do I have to return something?', 'Where is my order?', 'What are your opening hours?',
    'Do you deliver to Switzerland?', 'How much does the shipping cost?', 'Can I pay by card?', 'I have a question',
    'My parcel has not arrived yet', 'Is the blue one in stock?', 'Thank you for your help'
  ],
  [
    'Wie lange kann ich etwas zurückgeben?', 'Wo ist meine Bestellung?', 'Wann haben Sie geöffnet?',
    'Liefern Sie auch in die Schweiz?', 'Was kostet der Versand?', 'Kann ich mit Karte zahlen?', 'Ich habe eine Frage',
    'Mein Paket ist noch nicht angekommen', 'Ist das Blaue auf Lager?', 'Vielen Dank für Ihre Hilfe'
  ],
  [
    '¿Cuánto tiempo tengo para devolver algo?', '¿Dónde está mi pedido?', '¿Cuál es su horario?',
    '¿Envían a Suiza?', '¿Cuánto cuesta el envío?', '¿Puedo pagar con tarjeta?', 'Tengo una pregunta',
    'Mi paquete no ha llegado todavía', '¿Está el azul en existencias?', 'Gracias por su ayuda'
  ],
  [
    'Combien de temps ai-je pour rendre un article ?', 'Où est ma commande ?', 'Quels sont vos horaires ?',
    'Livrez-vous en Suisse ?', 'Combien coûte la livraison ?', 'Puis-je payer par carte ?', 'J’ai une question',
    'Mon colis n’est pas encore arrivé', 'Le bleu est-il en stock ?', 'Merci pour votre aide'
  ],
  [
    'Quanto tempo tenho para devolver algo?', 'Onde está a minha encomenda?', 'Qual é o horário?',
    'Entregam na Suíça?', 'Quanto custa o envio?', 'Posso pagar com cartão?', 'Tenho uma pergunta',
    'A minha encomenda ainda não chegou', 'O azul está disponível?', 'Obrigado pela ajuda'
  ],
  [
    'Quanto tempo ho per restituire un articolo?', 'Dov’è il mio ordine?', 'Quali sono gli orari di apertura?',
    'Spedite anche in Svizzera?', 'Quanto costa la spedizione?', 'Posso pagare con la carta?', 'Ho una domanda',
    'Il mio pacco non è ancora arrivato', 'Quello blu è disponibile?', 'Grazie per l’aiuto'
  ]
]
