import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isReachable, type Refused } from '../api.ts'
import { refusalSaid } from '../asking/sentences.ts'
import { texts } from '../texts/index.ts'
import type { Resource } from '../resource.ts'
import { Button } from './button.tsx'

/** A page or list with nothing in it yet: what it is for, and the one thing to do. */
export function Empty ({ title, text, children }: { title: string, text: string, children?: ComponentChildren }) {
  return <div class='empty'><h2>{title}</h2><p>{text}</p>{children}</div>
}

/** The message of a refusal for a person. */
export function sentenceOf (
  { status, message, code = '', details = [] }: Pick<Refused, 'status' | 'message'> & Partial<Refused>
): string {
  const { ui } = texts.value
  if (status === 0 || !message) return ui.unreachable
  // Messages about fields are more specific than the general one.
  if (details.length > 0) return [...new Set(details.map((one) => one.message))].join(' ')
  return refusalSaid({ code, message })
}

/** An error shown in place, with a button to retry, which is all that is left once the server can be reached again. */
export function Failure ({ error, retry }: { error: Refused, retry?: () => void }) {
  const isOver = error.status === 0 && isReachable.value
  if (isOver && !retry) return null
  return (
    <div class='failure' role='alert'>
      {!isOver && <p>{sentenceOf(error)}</p>}
      {retry && <Button onClick={retry}>{texts.value.ui.retry}</Button>}
    </div>
  )
}

const PATIENCE_MS = 150

/** A skeleton of grey lines, shown once loading takes long enough to be noticed. */
export function Skeleton ({ lines = 3 }: { lines?: number }) {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class={isSeen ? 'skeleton seen' : 'skeleton'} role='status' aria-busy='true' aria-label={texts.value.ui.loading}>
      {Array.from({ length: lines }, (_, i) => <div key={i} />)}
    </div>
  )
}

/** Shows what was read, that it is loading, or why it failed. */
export function Loaded<T> ({
  from, lines = 3, children
}: {
  from: Resource<T>, lines?: number, children: (data: T) => ComponentChildren
}) {
  if (from.data !== undefined) return <>{children(from.data)}</>
  if (from.error) {
    return <Failure error={from.error} retry={() => { from.reload() }} />
  }
  return <Skeleton lines={lines} />
}
