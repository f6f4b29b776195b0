import { useState } from 'react';
import {
  Button,
  ComboBox,
  DateField,
  DateInput,
  DateSegment,
  Group,
  I18nProvider,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  NumberField,
  Popover,
  Radio,
  RadioGroup,
  Select,
  SelectValue,
  Slider,
  SliderThumb,
  SliderTrack,
  Switch,
  Tab,
  TabList,
  TabPanel,
  Tabs,
  TextField,
} from 'react-aria-components';
import { createRoot } from 'react-dom/client';

const box = { border: '1px solid', background: '#fff', padding: 4 };
const FRUITS = ['Apple', 'Banana', 'Cherry', 'Cranberry'];

function Order() {
  const [amount, setAmount] = useState(1);
  const [price, setPrice] = useState(10);
  const [fruit, setFruit] = useState(null);
  const [size, setSize] = useState(null);
  const [gift, setGift] = useState(false);
  const [way, setWay] = useState('');
  const [level, setLevel] = useState(20);
  const [day, setDay] = useState(null);
  const [note, setNote] = useState('');
  globalThis.state = [amount, price, fruit, size, gift, way, level, day, note].join('|');
  return (
    <I18nProvider locale="en-US">
      <NumberField value={amount} onChange={setAmount} minValue={0}>
        <Label>Amount</Label>
        <Group>
          <Button slot="decrement">-</Button>
          <Input />
          <Button slot="increment">+</Button>
        </Group>
      </NumberField>
      <NumberField value={price} onChange={setPrice} formatOptions={{ style: 'currency', currency: 'EUR' }}>
        <Label>Price</Label>
        <Group>
          <Button slot="decrement">-</Button>
          <Input />
          <Button slot="increment">+</Button>
        </Group>
      </NumberField>
      <ComboBox selectedKey={fruit} onSelectionChange={setFruit}>
        <Label>Fruit</Label>
        <Input />
        <Button>▼</Button>
        <Popover style={box}>
          <ListBox>
            {FRUITS.map((one) => (
              <ListBoxItem key={one} id={one}>
                {one}
              </ListBoxItem>
            ))}
          </ListBox>
        </Popover>
      </ComboBox>
      <Select selectedKey={size} onSelectionChange={setSize}>
        <Label>Size</Label>
        <Button>
          <SelectValue />
        </Button>
        <Popover style={box}>
          <ListBox>
            {['Small', 'Large'].map((one) => (
              <ListBoxItem key={one} id={one}>
                {one}
              </ListBoxItem>
            ))}
          </ListBox>
        </Popover>
      </Select>
      <Switch isSelected={gift} onChange={setGift}>
        Gift
      </Switch>
      <RadioGroup value={way} onChange={setWay}>
        <Label>Way</Label>
        <Radio value="mail">By mail</Radio>
        <Radio value="hand">By hand</Radio>
      </RadioGroup>
      <Slider value={level} onChange={setLevel} step={10}>
        <Label>Level</Label>
        <SliderTrack style={{ position: 'relative', width: 200, height: 30, background: '#ddd' }}>
          <SliderThumb style={{ width: 20, height: 20, top: 15, background: '#00c' }} />
        </SliderTrack>
      </Slider>
      <DateField value={day} onChange={setDay}>
        <Label>Day</Label>
        <DateInput style={{ display: 'flex' }}>{(segment) => <DateSegment segment={segment} />}</DateInput>
      </DateField>
      <Tabs>
        <TabList aria-label="More">
          <Tab id="a">Terms</Tab>
          <Tab id="b">Note</Tab>
        </TabList>
        <TabPanel id="a">Pay in time.</TabPanel>
        <TabPanel id="b">
          <TextField value={note} onChange={setNote}>
            <Label>Your note</Label>
            <Input />
          </TextField>
        </TabPanel>
      </Tabs>
    </I18nProvider>
  );
}

createRoot(document.querySelector('#root')).render(<Order />);
globalThis.saves(() => globalThis.state);
