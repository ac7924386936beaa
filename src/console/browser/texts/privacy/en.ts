/** What the page of privacy says beside the console's other texts. */
export const en = {
  keeps: 'Nothing is removed: this agent’s conversations are kept until someone deletes them.',
  nothing: 'This removes nothing today.',
  would: 'This would be removed. {what}',
  /** What a host is sent, by what it is used for: words for a privacy notice. */
  sent: {
    answers: 'What visitors write, and the conversation so far, so that a language model can answer',
    search: 'What visitors ask, so that matching sources are found by meaning',
    mail: 'Conversations of tickets, names and e-mail addresses; masked questions that agents could not answer',
    tickets: 'Conversations of tickets, names and e-mail addresses',
    webhooks: 'What the chosen events are about',
    actions: 'What an action needs: details the visitor gave, and who the visitor is',
    team_chat: 'That something happened, with a link to it',
    push: 'That someone on the team is called, and when; encrypted, so the service cannot read who it is for'
  }
}

/** What every language says. */
export type PrivacyTexts = typeof en
