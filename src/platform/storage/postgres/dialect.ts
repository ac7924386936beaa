/*
 * Statements are written once, in SQLite's SQL. What PostgreSQL names differently is a function of the same name there
 * (`FUNCTIONS`); differences in syntax are translated here. Everything else is the same in both.
 */

/** Texts, quoted names, parameters, and names with capitals, which PostgreSQL would lower-case. */
const PARTS = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\?|(?<![:\w]):([a-z]\w*)|(?<![:\w$])[a-z][a-z_]*[A-Z]\w*/g

/** A statement as PostgreSQL reads it, and the names of its parameters if they have names. */
export interface Translated { text: string, names: string[] }

/** Translates a statement. */
export function inPostgres (statement: string): Translated {
  const names: string[] = []
  let count = 0
  const text = said(statement).replaceAll(PARTS, (part: string, name?: string) => {
    if (part === '?') return `$${++count}`
    if (part.startsWith('`')) return `"${part.slice(1, -1)}"`
    if (/^[a-z]/.test(part)) return `"${part}"`
    if (name === undefined) return part
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, names }
}

/** Translates the syntax to PostgreSQL's. */
function said (statement: string): string {
  const text = statement
    // In SQLite nobody else writes meanwhile.
    .replaceAll(/\/\* (for update[a-z ]*) \*\//g, '$1')
    // PostgreSQL chooses the index by its statistics.
    .replaceAll(/\s+indexed by \w+/gi, '')
    .replaceAll(/(?<=[\s(,=])\+(?=\?|:?[a-z_]+\b)/gi, '')
    .replaceAll(/\browid\b/gi, 'ctid')
    // A column that is 0 or 1 is not a boolean there. Texts stay as they are.
    .replaceAll(
      /'[^']*'|\bnot (?!(?:in|exists|null|like|distinct|materialized|between|glob)\b)([a-z_]+(?:\.[a-z_]+)?)\b(?!\s*\()/gi,
      (all, column?: string) => column === undefined ? all : `${column} = 0`
    )
    .replaceAll(/\bcast\(([^()]*->> '[^']*') as (?:integer|bigint)\)/gi, 'whole_number($1)')
    .replaceAll(/\bcast\(([^()]*->> \d+) as integer\)/gi, 'whole_number($1)')
    .replaceAll(/\blength\(cast\((.*?) as blob\)\)/gis, 'octet_length($1)')
    .replaceAll(/\bas integer\)/gi, 'as bigint)')
    .replaceAll(/(\w+) = (\?|:\w+) collate nocase/gi, 'lower($1) = lower($2)')
    .replaceAll(/\blimit -1\b/gi, 'limit all')
    .replaceAll(/\blimit (\?|:[a-z]\w*)/gi, 'limit nullif(cast($1 as bigint), -1)')
    .replaceAll(/\bcross join (\w+ (?:\w+ )?on)\b/gi, 'join $1')
    .replaceAll(/\bis (?=\?|:[a-z])/gi, 'is not distinct from ')
    .replaceAll(/(?<=on conflict \()((?:["`]\w+["`]\.["`]\w+["`](?:, ?)?)+)(?=\))/gi, (columns: string) =>
      columns.replaceAll(/["`]\w+["`]\./g, ''))
  const ignoring = text.replace(/^(\s*insert) or ignore into/i, '$1 into')
  return ignoring === text ? text : ignoring.replace(/\s*(returning\b.*)?$/is, (end) => ` on conflict do nothing${end}`)
}

const sqlFunction = (signature: string, returns: string, body: string, traits = 'immutable strict parallel safe') =>
  `create or replace function ${signature} returns ${returns} language sql ${traits} as $$ ${body} $$`

/** What SQLite has and PostgreSQL lacks, as functions of the same names; NULL wherever SQLite returns NULL. */
export const FUNCTIONS: readonly string[] = [
  ...['bigint', 'double precision', 'text'].flatMap((type) => [['max', 'greatest'], ['min', 'least']].map(([name, as]) =>
    sqlFunction(`${name}(a ${type}, b ${type})`, type, `select ${as}(a, b)`))),
  sqlFunction('instr(a text, b text)', 'bigint', 'select strpos(a, b)::bigint'),
  sqlFunction('instr(a bytea, b bytea)', 'bigint', 'select position(b in a)::bigint'),
  ...['bigint', 'text'].map((type) => sqlFunction(
    `iif(a boolean, b ${type}, c ${type})`, type, 'select case when a then b else c end', 'immutable parallel safe')),
  ...[['bytea', 'blob'], ['text', 'text'], ['bigint', 'integer'], ['double precision', 'real']].map(([type, name]) =>
    sqlFunction(`typeof(a ${type})`, 'text', `select case when a is null then 'null' else '${name}' end`,
      'immutable parallel safe')),
  sqlFunction('json_each(a text)', 'table (key bigint, value text)', `
    select n - 1, value from jsonb_array_elements_text(a::jsonb) with ordinality as each(value, n)`, 'immutable'),
  sqlFunction('json_each(a text, path text)', 'table (key bigint, value text)', `
    select n - 1, value from jsonb_array_elements_text(case jsonb_typeof(a::jsonb -> substr(path, 3))
      when 'array' then a::jsonb -> substr(path, 3) else '[]' end) with ordinality as each(value, n)`, 'immutable'),
  sqlFunction('json_part(a text, b text)', 'text', `
    select (a::jsonb #> string_to_array(case when b like '$.%' then substr(b, 3) else b end, '.'))::text`),
  sqlFunction('whole_number(a text)', 'bigint', "select coalesce(substring(a from '^-?[0-9]+'), '0')::bigint"),
  ...['bytea', 'text'].map((type) => sqlFunction(
    `substr(a ${type}, b bigint, c bigint)`, type, 'select substr(a, b::int, greatest(c, 0)::int)')),
  ...['bytea', 'text'].map((type) => sqlFunction(
    `substr(a ${type}, b bigint)`, type, 'select substr(a, b::int)')),
  sqlFunction('hex(a bytea)', 'text', "select upper(encode(a, 'hex'))"),
  sqlFunction('randomblob(a bigint)', 'bytea', `
    select substr(decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 1, a::int)`, 'volatile'),
  sqlFunction('json_insert(a text, path text, b text)', 'text', 'select (a::jsonb || to_jsonb(b))::text'),
  sqlFunction('unhex(a text)', 'bytea', "select decode(a, 'hex')"),
  sqlFunction('json_field(a text, b text)', 'text', `
    select case jsonb_typeof(found) when 'boolean' then (found::text = 'true')::int::text else found #>> '{}' end
    from (select a::jsonb #> string_to_array(case when b like '$.%' then substr(b, 3) else b end, '.') as found) as f`),
  // What is read that way is a number.
  sqlFunction('json_extract(a text, b text)', 'double precision', 'select json_field(a, b)::double precision'),
  `do $$ begin
    create operator ->> (leftarg = text, rightarg = text, function = json_field);
  exception when duplicate_function then null; end $$`,
  sqlFunction('json_item(a text, b integer)', 'text', 'select a::jsonb ->> b'),
  `do $$ begin
    create operator ->> (leftarg = text, rightarg = integer, function = json_item);
  exception when duplicate_function then null; end $$`,
  `do $$ begin
    create operator -> (leftarg = text, rightarg = text, function = json_part);
  exception when duplicate_function then null; end $$`,
  sqlFunction('add_true(a bigint, b boolean)', 'bigint', 'select a + coalesce(b::int, 0)', 'immutable parallel safe'),
  'create or replace aggregate sum(boolean) (sfunc = add_true, stype = bigint, initcond = 0)',
  sqlFunction('append_text(a text, b text)', 'text',
    "select case when a is null then b when b is null then a else a || ',' || b end", 'immutable parallel safe'),
  'create or replace aggregate group_concat(text) (sfunc = append_text, stype = text)',
  sqlFunction('append_json(a jsonb, b bigint)', 'jsonb', 'select a || to_jsonb(b)', 'immutable parallel safe'),
  sqlFunction('json_text(a jsonb)', 'text', "select replace(a::text, ', ', ',')"),
  `create or replace aggregate json_group_array(bigint) (
    sfunc = append_json, stype = jsonb, initcond = '[]', finalfunc = json_text)`
]
