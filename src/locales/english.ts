/* What the widget says in English, in the parts in which browsers load it: `en.ts` is made of them. */

/** The widget's texts. Words in braces are replaced. */
export const english = {
  title: 'Chat with {name}',
  conversation: 'Conversation',
  ai: 'AI assistant',
  told: 'You are talking to an AI assistant.',
  hello: 'Hello! How can we help?',
  list: 'Conversations',
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
  sending: 'Sending …',
  unsent: 'Not sent.',
  waits: 'Waiting for a connection.',
  retry: 'Retry',
  broken: 'The answer broke off.',
  stopped: 'Stopped',
  ask: 'Talk to a person',
  asking: 'I would like to talk to a person.',
  suggestions: 'Suggestions',
  privacy: 'Privacy policy',
  big: '{name} is larger than 10 MB.',
  many: 'Five files can be sent at once.',
  long: '{n} characters too many',
  offline: 'No connection. What you write is sent once it is back.',
  failed: 'That did not work. Try again.',
  absent: 'This chat is not available now.',
  powered: 'Powered by Agenthall'
}

/** What is said once a conversation runs; it comes with that. */
export const talkEnglish = {
  again: 'Try again',
  source: 'Source {n}',
  page: 'page {n}',
  fresh: 'New conversation',
  earlier: 'Your last conversation',
  types: '{name} is typing',
  today: 'Today',
  yesterday: 'Yesterday',
  seen: 'Seen',
  until: 'Here for you until {time}: {who}',
  now: 'Here for you now: {who}',
  team: 'our team',
  returns: 'Our team is back on {when}.'
}

/** Said by two parts; a separate text, so that neither brings the other along wherever English is loaded. */
const needed = 'Please fill this in.'

/** What the form before the first message says; it comes with the form. */
export const formEnglish = {
  name: 'Name',
  email: 'E-mail address',
  phone: 'Telephone (optional)',
  begin: 'Start chat',
  agree: 'Agree and start',
  needed,
  address: 'Please enter an e-mail address.',
  where: 'Where should the answer go?',
  leave: 'What was said here goes with it. You can leave this page.',
  confirm: 'Confirm',
  refuse: 'Do not do it'
}

/** What buttons with forms say; it comes with them. */
export const actionsEnglish = {
  needed,
  check: 'Please check this.',
  choose: 'Please choose',
  optional: '{label} (optional)',
  back: 'Cancel',
  gone: 'This is not available any more.'
}

/** What is asked below an answer; it comes with that. */
export const judgeEnglish = {
  helped: 'Did this help?',
  helpful: 'Helpful',
  unhelpful: 'Not helpful',
  why: 'What was wrong with it?',
  thanks: 'Thank you.'
}

/** What is asked once a conversation is closed; it comes with that. */
export const ratingEnglish = {
  rate: 'How satisfied were you with this conversation?',
  worst: 'not at all',
  best: 'very',
  words: 'In your own words (optional)',
  thanks: 'Thank you.'
}
