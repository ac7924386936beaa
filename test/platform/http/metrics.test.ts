import { readFileSync } from 'node:fs'
import t from 'tap'
import { createMetrics } from '../../../src/platform/http/metrics.ts'
import { build, draft } from '../../helper.ts'

/** The value of a series, by its text in the output. */
const valueOf = (text: string, series: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.split(' ')[1]

t.test('what happens is counted', async (t) => {
  const { user, withKey } = await build(t, { AGENTHALL_RATE_LIMITS: '{"free":3}' })
  const as = await user({ tier: 'free' })
  await as.post('/v1/agents/', draft)
  await as.get('/v1/agents/1')
  await as.head('/v1/agents/77')
  await as.get('/v1/agents/1')
  await withKey(undefined).get('/v1/agents?search=secret')
  await withKey(undefined).get('/v1/nothing/here')
  await withKey(undefined).delete('/v1/me')
  const { body, headers } = await withKey(undefined).get('/metrics')

  t.match(headers['content-type'], /^text\/plain; version=/)
  const expected = {
    'agenthall_http_requests_total{method="POST",route="/v1/agents",status="201"}': '1',
    'agenthall_http_requests_total{method="GET",route="/v1/agents/:id",status="200"}': '1',
    'agenthall_http_requests_total{method="GET",route="/v1/agents/:id",status="429"}': '1',
    'agenthall_http_requests_total{method="HEAD",route="/v1/agents/:id",status="404"}': '1',
    'agenthall_http_requests_total{method="GET",route="/v1/agents",status="401"}': '1',
    'agenthall_http_requests_total{method="any",route="unknown",status="404"}': '1',
    'agenthall_http_requests_total{method="any",route="/v1/me",status="405"}': '1',
    'agenthall_http_request_seconds_count{method="GET",route="/v1/agents/:id"}': '2',
    'agenthall_http_request_seconds_bucket{le="+Inf",method="GET",route="/v1/agents/:id"}': '2',
    'agenthall_refusals_total{code="not_found"}': '2',
    'agenthall_refusals_total{code="rate_limited"}': '1',
    'agenthall_rate_limited_total{tier="free"}': '1',
    agenthall_authentication_failures_total: '1',
    'agenthall_jobs{state="waiting"}': '0',
    'agenthall_jobs{state="running"}': '0',
    'agenthall_jobs{state="dead"}': '0',
    agenthall_writes_waiting: '0',
    agenthall_connections: '0'
  }
  for (const [series, value] of Object.entries(expected)) t.equal(valueOf(body, series), value, series)
  for (const size of ['data_bytes', 'wal_bytes', 'disk_free_bytes']) {
    t.ok(Number(valueOf(body, `agenthall_${size}`)) > 0, size)
  }
  t.notMatch(body, 'secret')
})

t.test('a time is counted in every bucket from its own on', async (t) => {
  const metrics = createMetrics('1')
  const request = { routeOptions: { url: '/x', method: 'GET', config: {} } } as never
  for (const seconds of [0.0005, 0.001, 0.002, 4, 40]) metrics.answered(request, 200, seconds)
  const text = await metrics.registry.metrics()
  const bucket = (le: string) =>
    valueOf(text, `agenthall_http_request_seconds_bucket{le="${le}",method="GET",route="/x"}`)
  t.strictSame(['0.001', '0.0025', '2.5', '5', '10', '+Inf'].map(bucket), ['2', '3', '3', '4', '4', '5'])
  t.equal(valueOf(text, 'agenthall_http_request_seconds_sum{method="GET",route="/x"}'), '44.0035')
})

// Was wrong without the check of forwarding headers, and registered behind `collectMethods`.
t.test('to anybody but this machine /metrics looks like any unknown address', async (t) => {
  const { app } = await build(t, { AGENTHALL_TRUST_PROXY: '192.0.2.0/24' })
  type Asked = { method?: 'GET' | 'POST' | 'DELETE', remoteAddress?: string, headers?: Record<string, string> }
  const ask = async (url: string, asked: Asked) => {
    const {
      statusCode, body, headers: { 'x-request-id': _id, date: _date, ...headers }
    } = await app.inject({ url, ...asked })
    return { statusCode, body, headers }
  }
  const strangers: Asked[] = [
    { remoteAddress: '203.0.113.9' },
    { remoteAddress: '192.0.2.1', headers: { 'x-forwarded-for': '127.0.0.1' } },
    { remoteAddress: '127.0.0.1', headers: { 'x-forwarded-for': '203.0.113.9' } },
    { remoteAddress: '127.0.0.1', headers: { forwarded: 'for=203.0.113.9' } },
    { remoteAddress: '::1', headers: { via: '1.1 proxy' } },
    { remoteAddress: '203.0.113.9', method: 'POST' },
    { remoteAddress: '203.0.113.9', method: 'DELETE' },
    { remoteAddress: '127.0.0.1', method: 'POST' }
  ]
  for (const stranger of strangers) t.strictSame(await ask('/metrics', stranger), await ask('/metricz', stranger))
  for (const remoteAddress of ['127.0.0.1', '127.0.0.53', '::1', '::ffff:127.0.0.1']) {
    t.equal((await ask('/metrics', { remoteAddress })).statusCode, 200, remoteAddress)
  }
  const open = await build(t, { AGENTHALL_METRICS: 'open' }, { directory: t.testdir({ open: {} }) + '/open' })
  t.equal((await open.app.inject({ url: '/metrics', remoteAddress: '203.0.113.9' })).statusCode, 200)
})

t.test('the dashboard and the alerts ask for nothing that is not shown', async (t) => {
  const { app } = await build(t)
  const metrics = createMetrics('1')
  metrics.watchProcess()
  const names = new Set<string>()
  for (const text of [(await app.inject('/metrics')).body, await metrics.registry.metrics()]) {
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) names.add(name! + suffix)
    }
  }
  const dashboard = readFileSync('scripts/ops/grafana-dashboard.json', 'utf8')
  const alerts = readFileSync('scripts/ops/alerts.yml', 'utf8')
  const asked = [...dashboard.matchAll(/"expr": "(.*)"/g), ...alerts.matchAll(/^ +expr: (.*)$/gm)]
    .flatMap(([, expression]) => expression!.match(/\b(agenthall|process|nodejs)_\w+/g) ?? [])
  t.ok(asked.length > 30, `${asked.length} names`)
  for (const name of new Set(asked)) t.ok(names.has(name), name)
  for (const name of names) {
    if (/^agenthall_(?!.*_(sum|bucket|count)$|info$)/.test(name)) t.ok(asked.includes(name), `${name} is looked at`)
  }
})
