import { registerRichText } from '@lexical/rich-text';
import { $getRoot, createEditor } from 'lexical';

const editor = createEditor({ namespace: 'post', onError: console.error });
editor.setRootElement(document.querySelector('#editor'));
registerRichText(editor);
globalThis.saves(() => editor.getEditorState().read(() => $getRoot().getTextContent()));
