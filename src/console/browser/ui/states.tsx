import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Refused } from '../api.ts'
import { refusalSaid } from '../asking/sentences.ts'
import { texts } from '../texts/index.ts'
import type { Resource } from '../resource.ts'
import { Button } from './button.tsx'

/** A page or list with nothing in it yet: what it is for, and the one thing to do. */
export function Empty ({ title, text, children }: { title: string, text: string, children?: ComponentChildren }) {
  return <div class='empty'><h2>{title}</h2><p>{text}</p>{children}</div>
}

/** What a refusal says to a person. */
export function sentenceOf (
  { status, message, code = '', details = [] }: Pick<Refused, 'status' | 'message'> & Partial<Refused>
): string {
  const { ui } = texts.value
  if (status === 0 || !message) return ui.unreachable
  // What is wrong with fields says more than that something is.
  if (details.length > 0) return [...new Set(details.map((one) => one.message))].join(' ')
  return refusalSaid({ code, message })
}

/** What went wrong, where it went wrong, and a way to try again. */
export function Failure ({ error, retry }: { error: Refused, retry?: () => void }) {
  return (
    <div class='failure' role='alert'>
      <p>{sentenceOf(error)}</p>
      {retry && <Button onClick={retry}>{texts.value.ui.retry}</Button>}
    </div>
  )
}

const PATIENCE_MS = 150

/** Grey lines in the place of what comes, once it takes long enough to be noticed. */
export function Skeleton ({ lines = 3 }: { lines?: number }) {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class={isSeen ? 'skeleton seen' : 'skeleton'} aria-busy='true' aria-label={texts.value.ui.loading}>
      {Array.from({ length: lines }, (_, i) => <div key={i} />)}
    </div>
  )
}

/** Shows what was read, or that it comes, or why it does not. */
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
