import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Rows that are drawn or left out together. */
const CHUNK = 25
/** The height of a row before it was drawn, and how near to what is seen rows are drawn. */
const [ROW_PX, NEAR_PX] = [84, 1000]

/** The rows in parts, in their order. */
export function chunksOf<T> (all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, i) => all.slice(i * CHUNK, (i + 1) * CHUNK))
}

/**
 * A part of a long list, which is drawn while it is near to what is seen and else leaves its height, so that a list of
 * thousands scrolls like one of fifty. `isKept`: it is drawn wherever it stands, as is what has the focus.
 */
export function Chunk ({ count, isFirst, isKept, children }: {
  count: number, isFirst: boolean, isKept: boolean, children: () => ComponentChildren
}) {
  const ref = useRef<HTMLUListElement>(null)
  const height = useRef(count * ROW_PX)
  const [isNear, setNear] = useState(isFirst)
  useEffect(() => {
    const box = ref.current!
    const watcher = new IntersectionObserver(([entry]) => {
      const isSeen = entry!.isIntersecting || box.contains(document.activeElement)
      if (!isSeen) height.current = entry!.boundingClientRect.height
      setNear(isSeen)
    }, { root: box.closest('.inbox-scroll'), rootMargin: `${NEAR_PX}px 0px` })
    watcher.observe(box)
    return () => watcher.disconnect()
  }, [])
  const isDrawn = isNear || isKept
  return (
    <ul class='list' ref={ref} style={isDrawn ? undefined : { height: `${height.current}px` }} aria-hidden={!isDrawn}>
      {isDrawn && children()}
    </ul>
  )
}
