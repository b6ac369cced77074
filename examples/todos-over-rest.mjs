// The same tools with two HTTP requests. Start the server first (npm start), then:
// MILLRACE_URL=http://127.0.0.1:4747 MILLRACE_TOKEN=... node examples/todos-over-rest.mjs
const { MILLRACE_URL: url = 'http://127.0.0.1:4747', MILLRACE_TOKEN: token } = process.env;

async function post(path, body) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${answer.error.code}: ${answer.error.message}`);
  return answer;
}

const { tools } = await post('/mcp/tools', {});
process.stdout.write(`${tools.length} tools\n`);
const { user_message } = await post('/mcp/execute', { name: 'create_todo', parameters: { title: 'Call mom', due: 'tomorrow' } });
process.stdout.write(`${user_message}\n`);
