import { hash } from 'node:crypto'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { SatisfactionRecord } from '../../schema/satisfaction.ts'
import { languageFor, textsIn } from '../locales/list.ts'
import { nothingHere, Refusal } from '../platform/errors.ts'
import { directionOf } from '../platform/languages.ts'
import type { Linked, SatisfactionStore } from './store.ts'

/* The page that a mail links to: a form without a script, and without sign-in. */

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:32rem;margin:0 auto;padding:32px 16px;background:light-dark(#fff,#17181c);color:light-dark(#17181c,#f1f1f4)}
h1{font-size:20px;margin:0 0 16px}fieldset{border:0;margin:0 0 16px;padding:0}legend{padding:0}
.scale{display:flex;flex-wrap:wrap;gap:8px;align-items:center}
.scale label{display:flex;gap:8px;align-items:center;min-height:44px;min-width:44px;padding:0 8px;border:1px solid #8b8c96;border-radius:8px}
textarea{display:block;box-sizing:border-box;width:100%;min-height:96px;margin:4px 0 16px;padding:8px;font:inherit;border:1px solid #8b8c96;border-radius:8px}
button{min-height:44px;padding:0 24px;font:inherit;font-weight:600;border:0;border-radius:8px;background:light-dark(#4f46e5,#8b87ff);color:light-dark(#fff,#101114)}
:focus-visible{outline:2px solid light-dark(#4f46e5,#8b87ff);outline-offset:2px}`

const POLICY = [
  "default-src 'none'", `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`, "form-action 'self'",
  "base-uri 'none'", "frame-ancestors 'none'"
].join('; ')
const LINK = new RegExp(SatisfactionRecord.properties.id.pattern!)
/** Maximum bytes of a submitted form: 2,000 characters, each of which takes up to twelve. */
const MOST_BYTES = 32_768

interface Needs {
  satisfaction: Pick<SatisfactionStore, 'give'> & { linked: (id: string) => Promise<Linked | undefined> }
}

/** Answering on a separate page. */
export const ratingPage: FastifyPluginAsync<Needs> = async (app, { satisfaction }) => {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: MOST_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(String(body)))
  )

  async function demanded (params: unknown): Promise<Linked> {
    const { id } = params as { id: string }
    const found = LINK.test(id) ? await satisfaction.linked(id) : undefined
    if (!found) throw nothingHere()
    return found
  }

  app.get('/rate/:id', { schema: { hide: true }, config: { permit: 'anyone' } }, async ({ params }, reply) => {
    const { language, isOpen, isAnswered } = await demanded(params)
    const words = textsIn(language, 'satisfaction')
    const thanks = isAnswered ? words.thanks : undefined
    return send(reply, pageOf(language, isOpen ? thanks : words.gone, isOpen))
  })

  app.post('/rate/:id', { schema: { hide: true }, config: { permit: 'anyone' } }, async ({ params, body }, reply) => {
    const { owner, conversation, language, isOpen } = await demanded(params)
    const words = textsIn(language, 'satisfaction')
    const given = body instanceof URLSearchParams ? body : new URLSearchParams()
    const score = Number(given.get('score'))
    const comment = [...(given.get('comment') ?? '').replaceAll('\0', '')].slice(0, 2000).join('')
    const isGiven = isOpen && Number.isInteger(score) && score >= 1 && score <= 5 &&
      await satisfaction.give(owner, conversation, { score, comment }).catch((error) => {
        // The conversation continued meanwhile.
        if (error instanceof Refusal && error.code === 'not_asked') return undefined
        throw error
      })
    if (!isOpen) return send(reply, pageOf(language, words.gone, false))
    return send(reply, pageOf(language, isGiven ? words.thanks : undefined, true))
  })
}

function send (reply: FastifyReply, page: string) {
  return reply
    .headers({
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex'
    })
    .type('text/html; charset=utf-8')
    .send(page)
}

/** The texts are our own; the page contains nothing that anybody wrote. */
function pageOf (asked: string | null, said: string | undefined, isOpen: boolean): string {
  const language = languageFor(asked, 'satisfaction')
  const words = textsIn(language, 'satisfaction')
  const direction = directionOf(language)
  const scores = [1, 2, 3, 4, 5].map((n) =>
    `<label><input type="radio" name="score" value="${n}" required>${n}</label>`).join('\n')
  const form = `<form method="post">
<fieldset>
<legend><h1>${words.title}</h1></legend>
<div class="scale"><span>${words.worst}</span>
${scores}
<span>${words.best}</span></div>
</fieldset>
<label for="comment">${words.words}</label>
<textarea id="comment" name="comment" maxlength="2000"></textarea>
<button>${words.send}</button>
</form>`
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${words.title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
${said === undefined ? '' : `<p role="status">${said}</p>`}
${isOpen ? form : ''}
</main>
</body>
</html>
`
}
