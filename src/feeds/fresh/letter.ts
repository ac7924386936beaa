import type { ReportLanguage } from '../../../schema/business.ts'
import type { KnowledgeGaps } from '../../../schema/feeds.ts'
import { textsIn } from '../../locales/list.ts'
import { becomesLink } from '../../platform/net/smtp.ts'

/** Questions per agent that a mail lists. */
const MOST_QUESTIONS = 10
const LONGEST_QUESTION = 200

/** What one agent lacks. */
export interface Lack { name: string, gaps: KnowledgeGaps }

/** The weekly mail to those who teach agents. `link`: the page for that; `zone`: the business's time zone. */
export function letterOf (
  lacks: readonly Lack[], { language, zone, link }: { language: ReportLanguage, zone: string, link: string }
): { subject: string, text: string } {
  const say = textsIn(language, 'team').gaps
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: zone })
  const number = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent' })
  const { from, to } = lacks[0]!.gaps

  function about ({ name, gaps }: Lack): string {
    const { unknown, answers, known_share: share, known_share_before: before, questions, never_cited: never } = gaps
    const shares = [
      share === null ? '' : fill(say.share, { share: percent.format(share) }),
      share === null || before === null ? '' : fill(say.before, { share: percent.format(before) })
    ].filter(Boolean).join('; ')
    const rest = questions.length - MOST_QUESTIONS
    return [
      fill(say.agent, { agent: withoutLinks(name), unknown: number.format(unknown), answers: number.format(answers) }),
      shares,
      ...questions.slice(0, MOST_QUESTIONS).map(({ question, times, answered_by_people: isAnswered }) =>
        `  ${fill(say.question, { times: number.format(times), question: withoutLinks(question) })}${isAnswered ? ` (${say.answered})` : ''}`),
      rest > 0 ? `  ${fill(say.more, { n: number.format(rest) })}` : '',
      never.length > 0 ? fill(say.never, { n: number.format(never.length) }) : ''
    ].filter(Boolean).join('\n')
  }

  const intro = fill(say.intro, { from: day.format(new Date(from)), to: day.format(new Date(to)) })
  return {
    subject: say.subject,
    text: `${[intro, ...lacks.map(about), `${say.link} ${link}`, say.why].join('\n\n')}\n`
  }
}

const fill = (text: string, values: Record<string, string>) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)

/** A text on one line, without anything that would become a link. */
const withoutLinks = (text: string) => text.slice(0, LONGEST_QUESTION).toWellFormed().split(/[\p{Cc}\s]+/u)
  .map((word) => becomesLink(word) ? '[…]' : word).join(' ').trim()
