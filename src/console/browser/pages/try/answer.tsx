import { useEffect, useRef } from 'preact/hooks'
import { RotateCcw } from 'lucide-preact'
import type { Citation, Message } from '../../../../../schema/conversations.ts'
import { linkNode } from '../../../../widget/browser/draw.ts'
import { safeUrl } from '../../../../platform/links.ts'
import { linkTo } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { Button } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown.tsx'

/** An address from a source; unless it is safe it is shown as text only. */
function Address ({ url }: { url: string }) {
  const into = useRef<HTMLSpanElement>(null)
  useEffect(() => { into.current!.replaceChildren(safeUrl(url) ? linkNode(url, [url]) : url) }, [url])
  return <span class='long' ref={into} />
}

/** An answer with the passages of its sources below it. */
export function Answer ({
  agent, message, model, onAgain, isBusy
}: {
  agent: string
  message: Message
  /** The name of the agent's model. */
  model: string
  onAgain: (() => void) | undefined
  isBusy: boolean
}) {
  const { attempt } = texts.value
  const { text, status, citations, unknown } = message
  return (
    <>
      <Markdown text={text} />
      {message.answered_by === 'model' && model && <p class='quiet'>{fill(attempt.by, { model })}</p>}
      {status === 'stopped' && <p class='quiet'>{attempt.stopped}</p>}
      {status === 'failed' && <p class='error'>{attempt.failed}</p>}
      {citations.length > 0 && <Sources citations={citations} />}
      {unknown && (
        <p class='quiet'>
          {attempt.noSources}{' '}
          {may('MANAGE_KNOWLEDGE_BASE') && <a href={linkTo(`/agents/${agent}/knowledge`)}>{attempt.teach}</a>}
        </p>
      )}
      {onAgain && (
        <div><Button kind='quiet' icon={RotateCcw} busy={isBusy} onClick={onAgain}>{attempt.again}</Button></div>
      )}
    </>
  )
}

function Sources ({ citations }: { citations: Citation[] }) {
  const { attempt, knowledge } = texts.value
  return (
    <section class='sources' aria-label={attempt.sources}>
      <h2>{attempt.sources}</h2>
      <ol class='plain'>
        {citations.map(({ n, title, quote, url, page }) => (
          <li key={n}>
            <strong>[{n}] {title}</strong>
            {page !== null && <span class='quiet'> – {fill(knowledge.page, { n: page })}</span>}
            <blockquote dir='auto'>{quote}</blockquote>
            {url && <Address url={url} />}
          </li>
        ))}
      </ol>
    </section>
  )
}
