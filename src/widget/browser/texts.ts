/** What the widget says by itself, in English. Words in braces are put in. */
export const english = {
  title: 'Chat with {name}',
  conversation: 'Conversation',
  ai: 'AI assistant',
  person: 'You are talking to a person',
  waiting: 'A person will be with you soon',
  closed: 'This conversation is closed',
  you: 'You',
  thinking: '{name} is thinking …',
  message: 'Write a message',
  send: 'Send',
  stop: 'Stop',
  attach: 'Add files',
  remove: 'Remove {name}',
  close: 'Close chat',
  fresh: 'New conversation',
  sending: 'Sending …',
  unsent: 'Not sent.',
  retry: 'Retry',
  broken: 'The answer broke off.',
  again: 'Try again',
  stopped: 'Stopped',
  source: 'Source {n}',
  page: 'page {n}',
  ask: 'Talk to a person',
  asking: 'I would like to talk to a person.',
  suggestions: 'Suggestions',
  privacy: 'Privacy policy',
  big: '{name} is larger than 10 MB.',
  many: 'Five files can be sent at once.',
  long: '{n} characters too many',
  offline: 'No connection. Trying again …',
  failed: 'That did not work. Try again.',
  absent: 'This chat is not available right now.',
  powered: 'Powered by Agenthall'
}

/** What the form before the first message says; it comes with the form. */
export const formEnglish = {
  name: 'Name',
  email: 'E-mail address',
  phone: 'Telephone (optional)',
  begin: 'Start chat',
  agree: 'Agree and start',
  needed: 'Please fill this in.',
  address: 'Please enter an e-mail address.',
  confirm: 'Confirm',
  refuse: 'Do not do it'
}

/** What buttons with forms say; it comes with them. */
export const actionsEnglish = {
  needed: formEnglish.needed,
  check: 'Please check this.',
  choose: 'Please choose',
  optional: '{label} (optional)',
  back: 'Cancel'
}

/** What is asked below an answer; it comes with that. */
export const judgeEnglish = {
  helpful: 'Helpful',
  unhelpful: 'Not helpful',
  why: 'What was wrong with it?',
  thanks: 'Thank you.'
}

/** Everything that a language has to have. */
export type Texts = typeof english & typeof formEnglish & typeof actionsEnglish & typeof judgeEnglish
export type Text = keyof Texts
