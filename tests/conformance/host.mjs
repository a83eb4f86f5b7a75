// A small host around the AppBridge of the extension MCP Apps: it calls tools as a model does, and shows their views.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  AppBridge,
  PostMessageTransport,
  RESOURCE_MIME_TYPE,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
} from '@modelcontextprotocol/ext-apps/app-bridge';

const EXTENSION = 'io.modelcontextprotocol/ui';
// What the extension says a host must use for a view that names no other place.
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "media-src 'self' data:; connect-src 'none'";

const PATIENCE_MS = 30_000;
const about = { name: 'zkmem-test-host', version: '1' };
const capabilities = { extensions: { [EXTENSION]: { mimeTypes: [RESOURCE_MIME_TYPE] } } };
const contexts = []; // what views have told the model
let client, bridge;

/** Connect to a server; return the names of the tools that the model sees. */
async function connect(url, token = '') {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  client = new Client(about, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  return tools.filter((tool) => !isToolVisibilityAppOnly(tool)).map(({ name }) => name);
}

/** Call a tool as the model, and show its view; return what the model reads. */
async function call(name, args = {}, theme = 'light') {
  const { tools } = await client.listTools();
  const tool = tools.find((one) => one.name === name);
  const result = await client.callTool({ name, arguments: args });
  const uri = getToolUiResourceUri(tool);
  const { contents } = await client.readResource({ uri });
  if (contents[0].mimeType !== RESOURCE_MIME_TYPE) throw new Error(contents[0].mimeType);
  const frame = Object.assign(document.createElement('iframe'), { title: name });
  frame.setAttribute('sandbox', 'allow-scripts');
  document.querySelector('main').replaceChildren(frame);
  bridge = new AppBridge(
    client,
    about,
    { serverTools: {}, updateModelContext: { text: {} } },
    { hostContext: { theme } },
  );
  bridge.onsizechange = ({ height }) => (frame.style.height = `${height}px`);
  bridge.onupdatemodelcontext = async ({ content }) => {
    contexts.push(content.map(({ text }) => text).join(''));
    return {};
  };
  const isReady = new Promise((resolve) => (bridge.oninitialized = resolve));
  const late = new Promise((_, reject) => setTimeout(reject, PATIENCE_MS, new Error('the view does not answer')));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = contents[0].text.replace(
    '<head>',
    `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
  );
  await Promise.race([isReady, late]);
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
  return result.content.map(({ text }) => text).join('\n');
}

const setTheme = (theme, variables) => bridge.setHostContext({ theme, styles: { variables } });

window.host = { connect, call, setTheme, contexts };
