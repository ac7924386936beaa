import t from 'tap'
import { canned } from '../../src/conversations/answering/small-talk/small-talk.ts'
import { languagesWith, textsIn } from '../../src/locales/list.ts'
import { LANGUAGES } from '../../src/search/words/languages.ts'

/** Requests for a human, as people phrase them. */
const ASKED: Record<string, string> = {
  en: 'Can I talk to a human?',
  de: 'Ich möchte mit einem Mitarbeiter sprechen.',
  fr: 'Je veux parler à un conseiller !',
  es: '¿Puedo hablar con una persona?',
  it: 'Vorrei parlare con un operatore',
  pt: 'Quero falar com um atendente',
  nl: 'Kan ik met een medewerker praten?',
  sv: 'Jag vill tala med en människa',
  da: 'Kan jeg tale med et menneske?',
  no: 'Kan jeg snakke med et menneske?',
  fi: 'Haluan puhua ihmisen kanssa',
  hu: 'Szeretnék beszélni egy emberrel',
  ro: 'Vreau să vorbesc, pot vorbi cu o persoană?',
  tr: 'Müşteri temsilcisiyle konuşmak istiyorum, bir insanla görüşmek istiyorum',
  ca: 'Vull parlar amb una persona',
  cs: 'Chci mluvit s člověkem',
  sl: 'Rad bi govoril s človekom',
  eu: 'Pertsona batekin hitz egin nahi dut',
  ga: 'Ba mhaith liom labhairt le duine',
  ru: 'Хочу поговорить с человеком',
  ar: 'أريد التحدث مع شخص',
  el: 'Θέλω να μιλήσω με έναν άνθρωπο',
  hi: 'मैं किसी इंसान से बात करना चाहता हूँ',
  vi: 'Tôi muốn nói chuyện với nhân viên',
  hy: 'Ուզում եմ մարդու հետ խոսել',
  ta: 'நான் ஒரு மனிதருடன் பேச வேண்டும்',
  pl: 'Chcę rozmawiać z konsultantem',
  uk: 'Хочу поговорити з людиною',
  bg: 'Искам да говоря с човек',
  fa: 'می‌خواهم با یک نفر صحبت کنم',
  he: 'אני רוצה לדבר עם נציג',
  id: 'Saya ingin bicara dengan petugas',
  zh: '我要转人工',
  ja: '担当者に代わってください',
  ko: '상담원과 대화하고 싶어요'
}

t.test("a human, please: understood in every language of the search's stop words, and by no chance word", async (t) => {
  t.strictSame(
    LANGUAGES.filter((language) => !(language in ASKED)), []
  )
  for (const [language, text] of Object.entries(ASKED)) t.equal(canned(text), 'person', `${language}: ${text}`)
  for (const text of [
    'Who is your agent in Spain?', 'Is the table for one person?', 'How do humans digest milk?',
    'What does the operator of the site earn?'
  ]) { t.not(canned(text), 'person', text) }
})

t.test('visitors are told in their language, and what is offered to them to say is understood', async (t) => {
  t.ok(languagesWith('notices').length >= 29)
  for (const language of languagesWith('notices')) {
    t.equal(canned(textsIn(language, 'notices').person), 'person', language)
    t.match(textsIn(language, 'notices').transferred, '{{name}}')
    t.equal(new Set(Object.values(textsIn(language, 'notices'))).size, 12, `${language}: each its own sentence`)
  }
  t.equal(textsIn('tlh', 'notices'), textsIn('en', 'notices'))
  t.equal(textsIn(null, 'notices'), textsIn('en', 'notices'))
})
