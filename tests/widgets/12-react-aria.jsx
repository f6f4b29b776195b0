import { useState } from 'react';
import {
  Button,
  ComboBox,
  DateField,
  DateInput,
  DateSegment,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  NumberField,
  Popover,
  Slider,
  SliderThumb,
  SliderTrack,
  Switch,
} from 'react-aria-components';
import { createRoot } from 'react-dom/client';

const ANIMALS = ['Aardvark', 'Cat', 'Dog', 'Kangaroo'];

function Booking() {
  const [animal, setAnimal] = useState('');
  const [rooms, setRooms] = useState(1);
  const [quiet, setQuiet] = useState(false);
  const [day, setDay] = useState(null);
  const [volume, setVolume] = useState(30);
  const [pressed, setPressed] = useState(0);
  globalThis.state = [animal, rooms, quiet, day, volume, pressed].join('|');
  return (
    <main>
      <ComboBox onSelectionChange={setAnimal}>
        <Label>Animal</Label>
        <Input />
        <Button>▼</Button>
        <Popover>
          <ListBox style={{ background: '#fff', border: '1px solid' }}>
            {ANIMALS.map((one) => (
              <ListBoxItem key={one} id={one}>
                {one}
              </ListBoxItem>
            ))}
          </ListBox>
        </Popover>
      </ComboBox>
      <NumberField value={rooms} onChange={setRooms} minValue={0}>
        <Label>Rooms</Label>
        <Button slot="decrement">−</Button>
        <Input />
        <Button slot="increment">+</Button>
      </NumberField>
      <Switch isSelected={quiet} onChange={setQuiet}>
        Quiet room
      </Switch>
      <DateField value={day} onChange={setDay}>
        <Label>Arrival</Label>
        <DateInput>{(segment) => <DateSegment segment={segment} style={{ padding: 2 }} />}</DateInput>
      </DateField>
      <Slider value={volume} onChange={setVolume}>
        <Label>Volume</Label>
        <SliderTrack style={{ width: 200, height: 30, background: '#ddd' }}>
          <SliderThumb style={{ width: 20, height: 20, background: '#00c', top: '50%' }} />
        </SliderTrack>
      </Slider>
      <Button onPress={() => setPressed(pressed + 1)}>Press me</Button>
    </main>
  );
}

createRoot(document.querySelector('#root')).render(<Booking />);
globalThis.saves(() => globalThis.state);
