import { javascript } from '@codemirror/lang-javascript';
import { basicSetup, EditorView } from 'codemirror';

const view = new EditorView({
  doc: 'let a = 1;\n',
  extensions: [basicSetup, javascript()],
  parent: document.querySelector('#editor'),
});
globalThis.saves(() => view.state.doc.toString());
