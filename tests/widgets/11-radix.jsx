import * as Dialog from '@radix-ui/react-dialog';
import * as Menu from '@radix-ui/react-dropdown-menu';
import * as Select from '@radix-ui/react-select';
import * as Slider from '@radix-ui/react-slider';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

function Settings() {
  const [fruit, setFruit] = useState('');
  const [level, setLevel] = useState([30]);
  const [said, setSaid] = useState('');
  const [name, setName] = useState('');
  globalThis.state = [fruit, level, said, name].join('|');
  const box = { border: '1px solid', background: '#fff', padding: 8 };
  return (
    <main>
      <Select.Root value={fruit} onValueChange={setFruit}>
        <Select.Trigger aria-label="Fruit">
          <Select.Value placeholder="Pick a fruit" />
        </Select.Trigger>
        <Select.Portal>
          <Select.Content style={box}>
            <Select.Viewport>
              {['Apple', 'Banana', 'Cherry'].map((one) => (
                <Select.Item key={one} value={one}>
                  <Select.ItemText>{one}</Select.ItemText>
                </Select.Item>
              ))}
            </Select.Viewport>
          </Select.Content>
        </Select.Portal>
      </Select.Root>
      <Slider.Root
        value={level}
        onValueChange={setLevel}
        max={100}
        step={10}
        style={{ position: 'relative', display: 'flex', width: 300, height: 30, alignItems: 'center' }}
      >
        <Slider.Track style={{ background: '#999', flexGrow: 1, height: 4 }} />
        <Slider.Thumb
          aria-label="Level"
          style={{ display: 'block', width: 20, height: 20, background: '#00c', borderRadius: 10 }}
        />
      </Slider.Root>
      <Menu.Root>
        <Menu.Trigger>Actions</Menu.Trigger>
        <Menu.Portal>
          <Menu.Content style={box}>
            <Menu.Item onSelect={() => setSaid('copied')}>Copy</Menu.Item>
            <Menu.Sub>
              <Menu.SubTrigger>Share</Menu.SubTrigger>
              <Menu.Portal>
                <Menu.SubContent style={box}>
                  <Menu.Item onSelect={() => setSaid('mailed')}>By mail</Menu.Item>
                  <Menu.Item onSelect={() => setSaid('printed')}>On paper</Menu.Item>
                </Menu.SubContent>
              </Menu.Portal>
            </Menu.Sub>
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      <Dialog.Root>
        <Dialog.Trigger>Rename</Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Content style={{ ...box, position: 'fixed', top: 100, left: 100 }} aria-describedby={undefined}>
            <Dialog.Title>Rename it</Dialog.Title>
            <input aria-label="New name" value={name} onChange={(event) => setName(event.target.value)} />
            <Dialog.Close>Done</Dialog.Close>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </main>
  );
}

createRoot(document.querySelector('#root')).render(<Settings />);
globalThis.saves(() => globalThis.state);
