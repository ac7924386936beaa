import { useEffect, useRef } from 'preact/hooks'
import { drawing, type Drawing } from '../../../widget/browser/draw.ts'
import { fillTable } from '../../../widget/browser/table.ts'

/** A text of a model, a visitor or a third party, rendered as the widget does: as nodes, never as markup. */
export function Markdown ({ text }: { text: string }) {
  const ref = useRef<HTMLDivElement>(null)
  const drawn = useRef<Drawing>(undefined)
  useEffect(() => {
    drawn.current ??= drawing(ref.current!, { cite: citeNode, table: fillTable })
    drawn.current.draw(text)
  }, [text])
  return <div class='markdown' dir='auto' ref={ref} />
}

function citeNode (n: number): Node {
  const node = document.createElement('sup')
  node.textContent = `[${n}]`
  return node
}
