import type { Asking } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { Card } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'

interface Sums { runs: number, input_tokens: number, output_tokens: number, cached_tokens: number, cost: number | null }
interface UsageAnswer { total: Sums, days: Array<Sums & { day: string, model: string }> }

/** Usage of language models, per model. */
export function Usage ({ query }: { query: NonNullable<Asking['query']> }) {
  const { figures, ui } = texts.value
  const usage = useResource<UsageAnswer>('/usage', query)
  return (
    <Card title={figures.usage}>
      <Loaded from={usage}>
        {({ days }) =>
          days.length === 0
            ? <p class='quiet'>{ui.none}</p>
            : (
              <div class='table' tabIndex={0} role='region' aria-label={fill(figures.table, { title: figures.usage })}>
                <table>
                  <thead>
                    <tr>
                      <th>{figures.model}</th>
                      {[figures.runs, figures.tokensIn, figures.cached, figures.tokensOut, figures.cost].map((name) => (
                        <th key={name} class='number'>{name}</th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {[...sumsOf(days)].map(([model, sums]) => <Row key={model} model={model} sums={sums} />)}
                  </tbody>
                </table>
              </div>
              )}
      </Loaded>
    </Card>
  )
}

function Row ({
  model, sums: { runs, input_tokens: input, cached_tokens: cached, output_tokens: output, cost }
}: {
  model: string, sums: Sums
}) {
  return (
    <tr>
      <td>{model}</td>
      {[runs, input, cached, output].map((value, i) => <td key={i} class='number'>{shownNumber(value)}</td>)}
      <td class='number'>{cost === null ? '–' : shownNumber(cost, { maximumFractionDigits: 2 })}</td>
    </tr>
  )
}

function sumsOf (days: UsageAnswer['days']): Map<string, Sums> {
  const sums = new Map<string, Sums>()
  for (const { model, ...day } of days) {
    const {
      runs = 0, input_tokens: input = 0, output_tokens: output = 0, cached_tokens: cached = 0, cost = null
    } = sums.get(model) ?? {}
    sums.set(model, {
      runs: runs + day.runs,
      input_tokens: input + day.input_tokens,
      output_tokens: output + day.output_tokens,
      cached_tokens: cached + day.cached_tokens,
      cost: cost === null ? day.cost : cost + (day.cost ?? 0)
    })
  }
  return sums
}
