import type { Working } from './contract.ts'
import { actionsEnglish, english, formEnglish, judgeEnglish, ratingEnglish, talkEnglish } from './english.ts'

export default {
  agent: {
    isAi: 'You are talking to an AI assistant.',
    greeting: 'Hello! How can I help you?',
    thanks: 'You are welcome! Is there anything else I can help with?',
    unknown: 'I do not know that: nothing that I was taught answers it.',
    mayHelp: 'This may help:',
    writeTo: 'You can reach a person at {contact}.',
    noPerson: 'I am an AI assistant and cannot connect you to a person here. Please use the contact details on our website.',
    oneMoment: 'One moment, please.',
    brokeOff: 'The answer broke off. Please ask again.',
    ok: 'All right. Just ask if there is anything else.',
    sorry: 'I am sorry that I could not help.',
    bye: 'Goodbye!',
    canHelp: 'Ask me whatever you would like to know about us: I answer from our own texts.',
    ourAddress: 'Our address: {address}',
    whenAnswered: 'Your request has been passed on already, and a person will get back to you. I do not know how long that takes.'
  },
  calls: {
    confirm: 'Please confirm: {title}',
    approval: 'A colleague has to approve this first: {title}',
    done: 'Done: {title}',
    failed: 'That did not work: {title}',
    lost: 'It is not clear yet whether this worked: {title}. We are finding out; it will not be done twice.',
    expired: 'Not confirmed in time, so nothing was done: {title}'
  },
  notices: {
    waiting: 'I am looking for a person to help you. Please stay here; you can go on writing.',
    taken: 'A person is here now and will answer you.',
    returned: 'The AI assistant is answering again.',
    ticket: 'Nobody is available right now. I have passed your request on as a ticket, and a person will get back to you.',
    passed: 'I have passed your request on as a ticket, and a person will get back to you.',
    ticketed: 'Your request has been passed on already, and a person will get back to you.',
    address: 'Please leave your e-mail address here, so that you can be answered.',
    noted: 'Thank you. The answer will go to {{email}}. If that is not right, please write the address once more.',
    closed: 'This conversation is closed. Write again to reopen it.',
    transferred: '{{name}} will help you now.',
    offer: 'Would you like to talk to a person?',
    person: 'I would like to talk to a person'
  },
  mail: {
    above: '--- Please write above this line ---',
    agent: 'Agent (AI)',
    unasked: 'You left your address in the chat with {{name}}. Reply to this mail to continue; if you do not want to, do nothing.',
    held: 'Your answer could not be sent yet, because the visitor has left no e-mail address. It is kept, and sent as soon as there is one. Where their chat is still open, it can be read there now.',
    desk: {
      visitor: 'Visitor',
      person: 'Person',
      notice: 'Notice',
      unknown: 'Unknown sender',
      from: 'From: {{who}}',
      said: 'What was said:',
      ticket: 'Ticket'
    }
  },
  keptFor: 'We keep what you write here for {{time}} after the last message, then delete it.',
  satisfaction: {
    subject: 'How was your conversation with {{name}}?',
    letter: 'Your conversation is closed. Please tell us how satisfied you were; it takes a moment:\n\n{{link}}',
    title: 'How satisfied were you with this conversation?',
    worst: 'not at all',
    best: 'very',
    words: 'In your own words (optional)',
    send: 'Send',
    thanks: 'Thank you. You may change your answer here.',
    gone: 'This question is no longer open.'
  },
  widget: {
    ...english, ...talkEnglish, ...formEnglish, ...actionsEnglish, ...judgeEnglish, ...ratingEnglish
  },
  team: {
    called: {
      waiting: 'A visitor is waiting for a person',
      written: 'A new message',
      given: 'A conversation was assigned to you'
    },
    from: 'Visitor from {place}',
    links: {
      team: 'the team {team}',
      some: 'a team',
      join: 'Join {team} on Agenthall',
      invited: 'You are invited to {team}. This link works once, for seven days:',
      unexpected: 'If you did not expect it, ignore this mail.',
      choose: 'Choose a new password for Agenthall',
      password: 'This link lets you choose a password. It works once, for 30 minutes:',
      unasked: 'If you did not ask for it, ignore this mail: nothing changes.'
    },
    gaps: {
      subject: 'What your agents did not know this week',
      intro: 'From {from} to {to} your agents were asked what they did not know.',
      agent: '{agent}: {unknown} of {answers} answers did not know',
      share: 'Known: {share}',
      before: 'the week before: {share}',
      question: '{times} × {question}',
      answered: 'a person has answered it',
      more: 'Further questions: {n}',
      never: 'Sources that no answer has cited in 90 days: {n}',
      link: 'Teach them what they lack:',
      why: 'You get this mail because you may teach these agents. Anyone who manages the business can switch it off in the console, under Business, Hours and notices.'
    }
  }
} satisfies Working
