import type { PrivacyTexts } from './en.ts'

export const de: PrivacyTexts = {
  keeps: 'Nichts wird gelöscht: Die Gespräche dieses Agenten bleiben, bis jemand sie löscht.',
  nothing: 'Heute würde damit nichts gelöscht.',
  would: 'Das würde gelöscht. {what}',
  sent: {
    answers: 'Was Besucher schreiben, mit dem bisherigen Gespräch, damit ein Sprachmodell antworten kann',
    search: 'Was Besucher fragen, damit passende Quellen nach ihrer Bedeutung gefunden werden',
    mail: 'Gespräche zu Tickets, Namen und E-Mail-Adressen; geschwärzte Fragen, auf die Agenten keine Antwort wussten',
    tickets: 'Gespräche zu Tickets, Namen und E-Mail-Adressen',
    webhooks: 'Worum es bei den ausgewählten Ereignissen geht',
    actions: 'Was eine Aktion braucht: Angaben des Besuchers, und wer der Besucher ist',
    team_chat: 'Dass etwas geschehen ist, mit einem Link dorthin',
    push:
      'Dass und wann jemand aus dem Team gerufen wird; verschlüsselt, sodass der Dienst nicht lesen kann, um wen es geht'
  }
}
