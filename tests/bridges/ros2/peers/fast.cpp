// A Fast DDS program in its default settings that carries CDR as it is: what it hears, as JSON, then it drives: by a
// reliable writer, then by a best-effort one. Args: domain.
#include <atomic>
#include <chrono>
#include <cstring>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;
using Bytes = std::vector<unsigned char>;

class Raw : public TopicDataType {
 public:
  explicit Raw(const std::string& name) {
    setName(name.c_str());
    m_typeSize = 1 << 20;
    m_isGetKeyDefined = false;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
  }
  bool serialize(void* data, SerializedPayload_t* payload) override {
    const Bytes& bytes = *static_cast<Bytes*>(data);
    std::memcpy(payload->data, bytes.data(), bytes.size());
    payload->length = bytes.size();
    return true;
  }
  bool deserialize(SerializedPayload_t* payload, void* data) override {
    static_cast<Bytes*>(data)->assign(payload->data, payload->data + payload->length);
    return true;
  }
  std::function<uint32_t()> getSerializedSizeProvider(void* data) override {
    return [data] { return static_cast<uint32_t>(static_cast<Bytes*>(data)->size()); };
  }
  void* createData() override { return new Bytes; }
  void deleteData(void* data) override { delete static_cast<Bytes*>(data); }
  bool getKey(void*, InstanceHandle_t*, bool) override { return false; }
};

class Discovery : public DomainParticipantListener {
 public:
  void on_publisher_discovery(DomainParticipant*, eprosima::fastrtps::rtps::WriterDiscoveryInfo&& info) override {
    std::lock_guard<std::mutex> guard(lock);
    topics.insert(info.info.topicName().to_string());
  }
  std::mutex lock;
  std::set<std::string> topics;
};

void wait(std::function<bool()> done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) {
      std::cerr << "waited in vain" << std::endl;
      std::_Exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string hex(const Bytes& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

int main(int, char** arguments) {
  Discovery discovery;
  DomainParticipant* participant = DomainParticipantFactory::get_instance()->create_participant(
      std::stoi(arguments[1]), PARTICIPANT_QOS_DEFAULT, &discovery, StatusMask::none());
  Subscriber* subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
  Publisher* publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT);
  auto topic = [&](const std::string& name, const std::string& type) {
    TypeSupport(new Raw(type)).register_type(participant);
    return participant->create_topic(name, type, TOPIC_QOS_DEFAULT);
  };
  auto read = [&](const std::string& name, const std::string& type, bool latched) {
    DataReaderQos qos = DATAREADER_QOS_DEFAULT;
    qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
    qos.durability().kind = latched ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
    DataReader* reader = subscriber->create_datareader(topic(name, type), qos);
    Bytes bytes;
    SampleInfo info;
    wait([&] { return reader->take_next_sample(&bytes, &info) == ReturnCode_t::RETCODE_OK && info.valid_data; });
    return hex(bytes);
  };
  const std::string joints = read("rt/joint_states", "sensor_msgs::msg::dds_::JointState_", false);
  const std::string text = read("rt/robot_description", "std_msgs::msg::dds_::String_", true);

  Topic* driven = topic("rt/cmd_vel", "geometry_msgs::msg::dds_::Twist_");
  auto drive = [&](double forward, double turn, bool reliable) {
    DataWriterQos qos = DATAWRITER_QOS_DEFAULT;
    qos.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    DataWriter* writer = publisher->create_datawriter(driven, qos);
    wait([&] {
      PublicationMatchedStatus status;
      writer->get_publication_matched_status(status);
      return status.current_count > 0;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the reader has to know the writer too
    Bytes bytes(52, 0);
    bytes[1] = 1;
    std::memcpy(bytes.data() + 4, &forward, 8);
    std::memcpy(bytes.data() + 44, &turn, 8);
    for (int k = 0; k < (reliable ? 1 : 10); ++k) {
      writer->write(&bytes);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    if (reliable) writer->wait_for_acknowledgments(eprosima::fastrtps::Duration_t(5, 0));
  };
  drive(0.75, -1.5, true);
  drive(0.5, 0.25, false);

  std::lock_guard<std::mutex> guard(discovery.lock);
  std::cout << "{\"joints\": \"" << joints << "\", \"text\": \"" << text << "\", \"topics\": [";
  const char* between = "";
  for (const std::string& name : discovery.topics) {
    std::cout << between << '"' << name << '"';
    between = ", ";
  }
  std::cout << "]}" << std::endl;
  std::_Exit(0);
}
