import type { Kind } from './contract.ts'
import { articles } from './kinds/articles.ts'
import { captain } from './kinds/captain.ts'
import { chatbase } from './kinds/chatbase.ts'
import { confluence } from './kinds/confluence.ts'
import { dify } from './kinds/dify.ts'
import { flowise } from './kinds/flowise.ts'
import { helpscout } from './kinds/helpscout.ts'
import { mkdocs } from './kinds/mkdocs.ts'
import { notion } from './kinds/notion.ts'
import { openai } from './kinds/openai.ts'
import { typebot } from './kinds/typebot.ts'

/** All supported kinds of exports; the first that recognises a file reads it. */
export const KINDS: readonly Kind[] = [
  openai, dify, captain, flowise, typebot, articles, chatbase, mkdocs, confluence, helpscout, notion
]
